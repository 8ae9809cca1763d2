// Letters of the axes: on those at the origin, and on a small copy in a corner that is always in sight.
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
  /** `corner`: an svg of 72 x 72 pixels; `over`: one over the whole picture. */
  constructor(corner, over) {
    this.corner = axes.map(([letter, stroke]) => {
      const group = make(corner, "g", {stroke, fill: stroke});
      return {group, line: make(group, "line", {x1: 36, y1: 36, "stroke-width": 2}), text: make(group, "text", {stroke: "none"}, letter)};
    });
    this.over = over;
    this.letters = axes.map(([letter, fill]) => make(over, "text", {fill, stroke: "none"}, letter));
  }

  /** `arm`: length of the axes at the origin; `isShown`: whether they are. */
  update(camera, project, arm, isShown) {
    const back = camera.matrixWorldInverse;
    const drawn = axes.map(([, , along], k) => ({...this.corner[k], view: along.clone().transformDirection(back)}));
    for (const {group, line, text, view} of drawn.sort((a, b) => a.view.z - b.view.z)) {
      const [x, y] = [36 + 20 * view.x, 36 - 20 * view.y], flat = Math.hypot(view.x, view.y) || 1;
      line.setAttribute("x2", x), line.setAttribute("y2", y);
      text.setAttribute("x", x + 9 * view.x / flat), text.setAttribute("y", y - 9 * view.y / flat);
      group.parentNode.append(group); // the nearest last
    }
    this.over.style.display = isShown ? "" : "none";
    if (!isShown) return;
    axes.forEach(([, , along], k) => {
      const {x, y} = project(along.clone().multiplyScalar(1.12 * arm));
      this.letters[k].setAttribute("x", x), this.letters[k].setAttribute("y", y);
    });
  }
}
