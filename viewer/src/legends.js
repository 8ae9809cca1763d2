// What colours and arrows mean, and how large they are drawn.
import {gradient} from "./solids.js";
import {make, number} from "./text.js";
import {withoutRoundOff} from "./units.js";

/** A scale for the arrows of all runs, that of the largest. */
export class ArrowLegend {
  constructor(element, stage, units, changed) {
    Object.assign(this, {element, stage, units, changed});
    const slider = make("input", {type: "range", min: "-1", max: "1", step: "0.05", value: "0", "aria-label": "Length of arrows"});
    slider.oninput = () => {
      for (const arrows of this.all) arrows.length = 10 ** slider.value;
      this.scale();
    };
    this.lines = make("div");
    element.replaceChildren(this.lines, make("label", {}, "Length ", slider));
  }

  get all() { return this.stage.models.map(({arrows}) => arrows); }
  has(kind) { return this.all.some((arrows) => arrows.has(kind)); }

  /** Arrows of a kind, as soon as their numbers are there. */
  show(kind, isOn) {
    for (const arrows of this.all) arrows.shown[kind] = isOn;
    return this.measure();
  }

  async measure() {
    await Promise.all(this.all.map((arrows) => arrows.measure()));
    this.scale();
  }

  scale() {
    const reach = .3 * this.stage.bounds.extent.length(); // of the largest
    for (const kind of ["force", "torque"]) {
      const largest = Math.max(...this.all.map(({parts}) => parts[kind].largest));
      for (const {parts} of this.all) parts[kind].largest = largest;
    }
    for (const arrows of this.all) arrows.scale(reach, this.stage.gridStep);
    this.update();
    this.changed();
  }

  /** What a grid square is worth. */
  update() {
    const [{parts, shown}] = this.all, {gridStep} = this.stage, lines = [];
    const inUnits = (value, si) => {
      const {factor, unit} = this.units().show(si);
      return `${number(factor * value, 3)} ${unit}`;
    };
    for (const [kind, si, word] of [["force", "N", "Force"], ["torque", "N m", "Torque"]])
      if (shown[kind]) lines.push(make("div", {}, make("i", {className: kind}), `${word}: ${parts[kind].perLength > 0 ? `${inUnits(parts[kind].perLength * gridStep, si)} per grid square` : "none"}`));
    this.element.hidden = !lines.length;
    this.lines.replaceChildren(...lines, make("div", {}, `Grid square: ${inUnits(gridStep, "m")}`));
  }
}

/** Colours and magnification, where there are solids. */
export class SolidLegend {
  constructor(element, stage, units, changed) {
    Object.assign(this, {element, stage, units});
    const solids = stage.models.flatMap((model) => model.solids), looks = stage.models.map((model) => model.look);
    element.hidden = !solids.length;
    if (!solids.length) return;
    const fields = [...new Set(solids.flatMap((solid) => [...solid.fields.keys()]))];
    const choice = make("select", {"aria-label": "Colour by"}, ...["displacement", ...fields, "no colours"].map((name) => make("option", {value: name}, name)));
    const scale = make("input", {type: "range", min: "0", max: "4", step: "0.05", value: "0", "aria-label": "Magnify displacements"});
    const factor = make("output", {}, "1×");
    choice.onchange = () => {
      for (const look of looks) Object.assign(look, {field: choice.value === "no colours" ? null : choice.value, range: choice.value === "displacement" ? [0, 0] : [Infinity, -Infinity]});
      changed();
    };
    this.choose = (name) => {
      if (![...choice.options].some(({value}) => value === name)) return;
      choice.value = name;
      choice.onchange();
    };
    scale.oninput = () => {
      const times = Number((10 ** scale.value).toPrecision(2));
      factor.textContent = `${times}×`;
      for (const look of looks) look.magnification = times;
      changed();
    };
    const bar = make("i");
    bar.style.background = gradient;
    this.range = make("div", {className: "legend"}, make("span"), bar, make("span"));
    element.replaceChildren(make("label", {}, "Colour ", choice), this.range, make("label", {}, "Magnify ", scale, factor));
  }

  update() {
    if (this.element.hidden) return;
    const [{look, solids}] = this.stage.models, [low, , high] = this.range.children;
    const {factor, unit} = this.units().show(look.field === "displacement" ? "m" : solids.find(({fields}) => fields.has(look.field))?.fields.get(look.field).unit ?? "");
    this.range.hidden = !look.field;
    low.textContent = number(factor * withoutRoundOff(look.range[0], look.range[1]), 3);
    high.textContent = `${number(factor * look.range[1], 3)} ${unit}`;
  }
}
