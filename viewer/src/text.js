export const make = (tag, properties = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name in element) element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
};

/** A number for people: four digits, powers of ten where it is far from 1. */
export function number(x, digits = 4) {
  if (x === null || x === undefined || Number.isNaN(x)) return "–";
  if (!Number.isFinite(x)) return x > 0 ? "∞" : "-∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) return x.toExponential(digits - 1).replace("e+", "e");
  return String(Number(x.toPrecision(digits)));
}

export const icon = (path) => {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const shape = document.createElementNS("http://www.w3.org/2000/svg", "path");
  shape.setAttribute("d", path);
  svg.append(shape);
  return svg;
};

export const icons = {
  play: "M8 5v14l11-7z",
  pause: "M7 5h4v14H7zM14 5h4v14h-4z",
  loop: "M17 2l4 4-4 4M3 11V9a3 3 0 0 1 3-3h15M7 22l-4-4 4-4M21 13v2a3 3 0 0 1-3 3H3",
  fit: "M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5",
  grid: "M3 9h18M3 15h18M9 3v18M15 3v18",
  joints: "M12 12m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0M4 20l5.5-5.5M20 4l-5.5 5.5",
  frames: "M6 18V5M6 18h13M6 18l7-7M4 7l2-3 2 3M17 16l3 2-3 2",
  trails: "M3 19c4 0 4-12 9-12s4 8 9 8",
  eye: "M2 12s4-7 10-7 10 7 10 7-4 7-10 7S2 12 2 12zM12 12m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0",
  halfEye: "M2 12s4-7 10-7 10 7 10 7M2 12m3 3.5l1 1M9 18.5l1.5.5M14 19l1.5-.4M18.5 16.6l1-1",
  noEye: "M4 4l16 16M9.5 5.3A9 9 0 0 1 12 5c6 0 10 7 10 7a18 18 0 0 1-3.3 4M6.5 7A17 17 0 0 0 2 12s4 7 10 7a9.500 9.500 0 0 0 4-.9",
  list: "M9 6h12M9 12h12M9 18h12M4 6h.01M4 12h.01M4 18h.01",
  forces: "M5 19L18 6M10 5h9v9",
  torques: "M20 12a8 8 0 1 1-2.500-5.800M18 2v5h-5",
  units: "M3 8h18v8H3zM7 8v4M11 8v3M15 8v4M19 8v3",
  follow: "M12 3v4M12 17v4M3 12h4M17 12h4M12 12m-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0",
  camera: "M12 3l8 4.5v9L12 21l-8-4.5v-9zM12 12l8-4.5M12 12v9M12 12L4 7.5",
  theme: "M20 14.5A8 8 0 1 1 9.5 4 6.5 6.5 0 0 0 20 14.5z",
};
