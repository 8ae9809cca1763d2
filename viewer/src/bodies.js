// The list of bodies, the card of the chosen one, and what is drawn of each: all of it, a shadow of it, or nothing.
import {icon, icons, make, number} from "./text.js";
import {withoutRoundOff} from "./units.js";

const next = {shown: "sheer", sheer: "hidden", hidden: "shown"};
const words = {shown: "shown", sheer: "see-through", hidden: "hidden"};
const eyes = {shown: icons.eye, sheer: icons.halfEye, hidden: icons.noEye};
const most = 60; // in the list; of more, each can be chosen in the picture

export class Bodies {
  /** `page`: {list, card, stage, runs, plot(names), changed(), time()}. */
  constructor(page) {
    Object.assign(this, page);
    this.selected = null;
    this.build();
  }

  get names() { return this.runs[0].bodies; }
  lookOf(body) { return this.stage.models[0].looks[body]; }
  get isAnyHidden() { return this.stage.models[0].looks.some((look) => look !== "shown"); }

  build() {
    if (this.runs.length > 1 || this.names.length > most) return this.list.replaceChildren();
    this.list.replaceChildren(...this.names.map((name, body) => {
      const dot = make("i"), look = this.lookOf(body);
      dot.style.background = this.stage.models[0].bodyColour(body);
      const label = `${name}: ${words[look]}; change`;
      return make("div", {className: `body ${look}`},
        make("button", {className: "name", "aria-pressed": String(body === this.selected), title: "Select (click again: none)", onclick: () => this.select(body)}, dot, name),
        make("button", {className: "eye", title: label, "aria-label": label, onclick: () => this.setLook(body, next[look])}, icon(eyes[look])));
    }), ...(this.isAnyHidden ? [make("button", {className: "all", title: "U", onclick: () => this.showAll()}, "Show all")] : []));
  }

  /** In all runs, where a body of that name is. */
  setLooks(lookOf) {
    this.names.forEach((name, body) => {
      const look = lookOf(body);
      for (const {run, looks} of this.stage.models) if (run.bodies.includes(name)) looks[run.bodies.indexOf(name)] = look;
    });
    for (const model of this.stage.models) model.applyLooks();
    const focused = [...this.list.querySelectorAll("button")].indexOf(document.activeElement);
    this.build();
    this.list.querySelectorAll("button")[focused]?.focus(); // a keyboard goes on where it was
    if (this.selected !== null) this.buildCard();
    this.changed();
  }

  setLook(body, look) { this.setLooks((each) => each === body ? look : this.lookOf(each)); }
  showAll() { this.setLooks(() => "shown"); }
  /** Hides or shows again; makes see-through or not. */
  toggle(look) {
    if (this.selected !== null) this.setLook(this.selected, this.lookOf(this.selected) === look ? "shown" : look);
  }
  /** The chosen one alone, or all again. */
  isolate() {
    if (this.selected === null) return;
    const isAlone = this.names.every((_, body) => (this.lookOf(body) === "hidden") === (body !== this.selected));
    this.setLooks((body) => isAlone || body === this.selected ? "shown" : "hidden");
  }

  select(body) {
    this.selected = body === this.selected ? null : body;
    if (this.selected === null) this.follow(false);
    else if (this.stage.followed !== null) this.stage.followed = this.selected;
    this.card.hidden = this.selected === null;
    [...this.list.querySelectorAll(".name")].forEach((button, k) => button.setAttribute("aria-pressed", String(k === this.selected)));
    if (this.selected !== null) this.buildCard();
    this.showCard();
  }

  follow(isOn) {
    this.stage.followed = isOn && this.selected !== null ? this.selected : null;
    this.changed();
  }

  buildCard() {
    const name = this.names[this.selected], dot = make("i"), look = this.lookOf(this.selected);
    dot.style.background = this.stage.models[0].bodyColour(this.selected);
    const plot = (what) => this.plot(["x", "y", "z"].map((axis) => `body.${name}.${what}.${axis}`));
    const button = (text, title, onclick, isOn) => make("button", {title, onclick, ...(isOn === undefined ? {} : {"aria-pressed": String(isOn)})}, text);
    this.card.replaceChildren(
      make("h3", {}, dot, name), make("table"),
      make("div", {className: "row"}, button("Follow", "Keep it in the middle", () => this.follow(this.stage.followed === null)),
           button("Plot position", "", () => plot("position")), button("velocity", "Plot its velocity", () => plot("velocity"))),
      make("div", {className: "row"}, button("Hide", "H", () => this.toggle("hidden"), look === "hidden"), button("See-through", "X", () => this.toggle("sheer"), look === "sheer"),
           button("Isolate", "Hide all others, or show all again (I)", () => this.isolate())));
    this.showCard();
  }

  showCard() {
    if (this.selected === null) return;
    const run = this.runs[0], {row} = run.locate(this.time()), rows = [];
    for (const [label, path, si] of [["position", "bodies/position", "m"], ["velocity", "bodies/velocity", "m/s"], ["rotation", "bodies/angular_velocity", "rad/s"]]) {
      const values = [NaN, NaN, NaN], set = run.sets[path], {factor, unit} = this.units().show(si);
      if (set && !set.row(row, values, 3 * this.selected, 3)) set.load(Math.floor(row / set.rowsPerPiece)).then(() => this.showCard());
      const size = Math.max(set?.largest ?? 0, path === "bodies/position" ? run.size : 0);
      rows.push(make("tr", {}, make("td", {}, label), ...values.map((x) => make("td", {}, number(factor * withoutRoundOff(x, size)))), make("td", {}, unit)));
    }
    this.card.querySelector("table").replaceChildren(...rows);
  }
}
