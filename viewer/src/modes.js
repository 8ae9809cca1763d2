// Modes of vibration: a table of them, and the one that is shown.
import {make, number} from "./text.js";

/** Fills the panel; `choose(k)` is called with the number of the mode that is wanted. */
export class Modes {
  constructor(panel, run, choose) {
    Object.assign(this, {panel, run, choose});
    const {frequency, damping} = run.modes;
    this.rows = frequency.map((f, k) => {
      const pick = make("button", {title: "Show this mode", onclick: () => this.show(k)}, `Mode ${k + 1}`);
      pick.disabled = run.modes.outputs[k][0] < 0;
      const row = make("tr", {}, make("td", {}, pick), make("td", {}, number(f, 6)), make("td", {}, number(damping[k], 4)));
      row.onclick = () => !pick.disabled && this.show(k);
      return row;
    });
    panel.replaceChildren(make("h2", {}, "Modes"), make("table", {className: "facts modes"}, make("tbody", {},
      make("tr", {}, ...["", "frequency (Hz)", "damping ratio"].map((text) => make("th", {}, text))), ...this.rows)));
  }

  /** The first that vibrates. */
  get first() {
    const {frequency, outputs} = this.run.modes, first = frequency.findIndex((f, k) => f > 0 && outputs[k][0] >= 0);
    return Math.max(first, 0);
  }

  show(k) {
    this.rows.forEach((row, each) => row.setAttribute("aria-current", String(each === k)));
    this.choose(k);
  }
}
