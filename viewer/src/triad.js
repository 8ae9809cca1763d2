// Which way x, y and z point, in a corner that is always in sight.
import {Vector3} from "three";

const axes = [["x", "#d2453d", new Vector3(1, 0, 0)], ["y", "#3d9a50", new Vector3(0, 1, 0)], ["z", "#3f6fc8", new Vector3(0, 0, 1)]];
const make = (parent, tag, properties, text = "") => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(properties)) element.setAttribute(name, value);
  element.textContent = text;
  parent.append(element);
  return element;
};

export class Triad {
  /** `svg`: of 72 x 72 pixels. */
  constructor(svg) {
    this.svg = svg;
    this.axes = axes.map(([letter, stroke, along]) => {
      const group = make(svg, "g", {stroke, fill: stroke});
      return {along, group, line: make(group, "line", {x1: 36, y1: 36, "stroke-width": 2}), text: make(group, "text", {stroke: "none"}, letter)};
    });
  }

  update(camera) {
    const seen = this.axes.map((axis) => ({...axis, view: axis.along.clone().transformDirection(camera.matrixWorldInverse)}));
    for (const {group, line, text, view} of seen.sort((a, b) => a.view.z - b.view.z)) {
      const [x, y] = [36 + 20 * view.x, 36 - 20 * view.y], flat = Math.hypot(view.x, view.y) || 1;
      line.setAttribute("x2", x), line.setAttribute("y2", y);
      text.setAttribute("x", x + 9 * view.x / flat), text.setAttribute("y", y - 9 * view.y / flat);
      this.svg.append(group); // the nearest last
    }
  }
}
