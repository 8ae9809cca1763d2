// Curves over time, linked to the animation: a line marks its time, a click moves it, and zooming one zooms all.
import uPlot from "uplot";
import {colour, variable} from "./colours.js";
import {make, number} from "./text.js";
import {withoutRoundOff} from "./units.js";

const dashes = [[], [7, 4], [2, 3], [9, 3, 2, 3]];

/** The index of the last time not after t. */
function indexAt(times, t) {
  let low = 0, high = times.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (times[middle] <= t) low = middle; else high = middle - 1;
  }
  return low;
}

class Plot {
  constructor(plots, names, removable) {
    Object.assign(this, {plots, names, removable});
    this.element = make("section", {className: "plot"});
    this.head = make("div", {className: "head"});
    this.body = make("div");
    this.now = make("div", {className: "now"});
    this.element.append(this.head, this.body);
    this.curves = [];
  }

  /** Loads the curves and draws; called again when names, colours or the runs change. */
  async draw() {
    const {runs} = this.plots, wanted = [], names = [...this.names];
    names.forEach((name, q) => runs.forEach((run, r) => run.isShown && run.byName.has(name) && wanted.push({name, q, run, r})));
    const loaded = await Promise.all(wanted.map(({run, name}) => run.series(name)));
    if (names.join() !== this.names.join()) return; // changed meanwhile: a later call draws
    this.curves = wanted.map((curve, k) => ({
      ...curve, ...this.plots.inUnits(loaded[k]),
      colour: colour(runs.length > 1 ? curve.r : this.plots.colourOf(curve.name, curve.q)),
      dash: dashes[(runs.length > 1 ? curve.q : 0) % dashes.length],
    }));
    this.drawHead();
    this.drawCurves();
  }

  drawHead() {
    const {runs} = this.plots;
    this.head.replaceChildren(...this.curves.map((curve) => {
      const line = make("i");
      line.style.borderColor = curve.colour;
      if (curve.dash.length) line.style.borderTopStyle = "dashed";
      curve.value = make("b");
      const label = runs.length > 1 ? `${curve.name} · ${curve.run.label}` : curve.name;
      const key = make("span", {className: "key", title: `${label}: ${curve.run.byName.get(curve.name).text}`}, line,
                       make("span", {className: "name"}, label), curve.value, make("span", {className: "unit"}, curve.unit === "1" ? "" : curve.unit));
      if (this.removable) {
        key.append(make("button", {className: "drop", title: `Remove ${curve.name}`, onclick: () => this.plots.drop(this, curve.name)}, "×"));
      }
      return key;
    }));
    if (this.removable) {
      this.head.append(make("button", {className: "more", title: "Add a curve to this plot", onclick: () => this.plots.pick(this)}, "+"));
    }
  }

  drawCurves() {
    const plots = this.plots, units = [...new Set(this.curves.map((curve) => curve.unit))];
    const scaleOf = (unit) => `y${units.indexOf(unit)}`; // a unit may be called as it likes, also x
    this.graph?.destroy();
    this.graph = null;
    if (!this.curves.length) return this.body.replaceChildren();
    const data = uPlot.join(this.curves.map(({t, y}) => [t, y]));
    const soft = variable("--soft"), line = variable("--line");
    const axis = {stroke: soft, grid: {stroke: line, width: 1}, ticks: {stroke: line, width: 1, size: 4}, font: "11px sans-serif", labelFont: "11px sans-serif", gap: 4};
    const options = {
      width: Math.max(this.plots.width, 120), height: this.removable ? 180 : 154,
      legend: {show: false},
      padding: [8, 14, 0, 0],
      cursor: {sync: {key: "hooke", scales: ["x", null]}, drag: {x: true, y: false}, points: {size: 6}, bind: {dblclick: () => () => plots.zoom(null)}},
      scales: {x: {time: false}, ...Object.fromEntries(units.map((unit) => [scaleOf(unit), {range: (_, low, high) => niceRange(low, high)}]))},
      axes: [{...axis, size: 24, label: "time (s)", labelSize: 15, labelGap: 0}, ...units.slice(0, 2).map((unit, k) => ({
        ...axis, scale: scaleOf(unit), side: k ? 1 : 3, grid: {...axis.grid, show: k === 0}, size: 54,
        values: (_, ticks) => labelsOf(ticks), label: units.length > 1 && unit !== "1" ? unit : undefined, labelSize: 14,
      }))],
      series: [{}, ...this.curves.map(({unit, colour: stroke, dash, name}) => ({
        label: name, scale: scaleOf(unit), stroke, width: 1.6, dash, spanGaps: true, pxAlign: 0, points: {show: false},
        paths: name.startsWith("step.") && !name.endsWith("time") ? uPlot.paths.stepped({align: -1}) : undefined,
      }))],
      hooks: {
        setSelect: [(graph) => graph.select.width > 4 && plots.zoom([graph.posToVal(graph.select.left, "x"), graph.posToVal(graph.select.left + graph.select.width, "x")])],
        setCursor: [() => this.showValues()],
        ready: [(graph) => {
          graph.over.append(this.now);
          graph.over.addEventListener("click", (event) => {
            if (!this.graph.select.width) plots.onSeek(graph.posToVal(event.offsetX, "x"));
          });
        }],
      },
    };
    this.graph = new uPlot(options, data, this.body.replaceChildren() ?? this.body);
    if (plots.range) this.graph.setScale("x", {min: plots.range[0], max: plots.range[1]});
    this.mark(plots.t);
  }

  /** The line at time t. */
  mark(t) {
    if (!this.graph) return;
    const x = this.graph.valToPos(t, "x"), width = this.graph.over.clientWidth;
    this.now.style.transform = `translateX(${x}px)`;
    this.now.hidden = !(x >= 0 && x <= width);
    this.showValues();
  }

  /** The values under the mouse, else at the time of the animation. */
  showValues() {
    if (!this.graph) return;
    const {left} = this.graph.cursor;
    const t = left >= 0 ? this.graph.posToVal(left, "x") : this.plots.t;
    for (const curve of this.curves) {
      const value = curve.t.length ? curve.y[indexAt(curve.t, t * (1 + 1e-12) + 1e-12)] : NaN;
      const text = number(value, 5);
      if (curve.value.textContent !== text) curve.value.textContent = text;
    }
  }
}

/** As short as they are: 1e-4, not 1.000e-4. */
function labelsOf(ticks) {
  const size = Math.max(...ticks.map(Math.abs));
  return ticks.map((tick) => tick === null ? "" : number(withoutRoundOff(tick, size)).replace(/\.?0+e/, "e"));
}

/** Room around the curve; a constant is a line in the middle and noise is not blown up. */
function niceRange(low, high) {
  if (low === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1];
  const size = Math.max(Math.abs(low), Math.abs(high));
  let half = (high - low) / 2;
  if (half <= 1e-9 * size) half = size > 0 ? .1 * size : 1;
  const middle = (low + high) / 2;
  return [middle - 1.08 * half, middle + 1.08 * half];
}

export class Plots {
  constructor(panel, runs, units, onSeek) {
    Object.assign(this, {panel, runs, units, onSeek, t: 0, range: null, plots: []});
    this.list = make("div");
    panel.append(this.list, make("button", {className: "add", onclick: () => this.pick(null)}, "Add a plot"));
    new ResizeObserver(() => this.resize()).observe(panel);
  }

  /** A curve in the units that were chosen, without what is round-off beside others of its data set. */
  inUnits({t, y, unit, size}) {
    const shown = this.units.show(unit);
    return {t, y: y.map((x) => shown.factor * withoutRoundOff(x, size)), unit: shown.unit};
  }

  get width() { return this.panel.clientWidth - 28; }

  /** Components x, y, z of a vector keep their order of colours. */
  colourOf(_, position) { return position; }

  add(names) {
    const plot = new Plot(this, names, true);
    this.plots.push(plot);
    this.list.append(plot.element);
    return plot.draw();
  }

  /** A plot in another panel that moves with the others and cannot be changed. */
  addFixed(names, parent) {
    const plot = new Plot(this, names, false);
    this.plots.push(plot);
    parent.append(plot.element);
    return plot.draw();
  }

  drop(plot, name) {
    plot.names = plot.names.filter((other) => other !== name);
    if (plot.names.length) return plot.draw();
    plot.graph?.destroy();
    plot.element.remove();
    this.plots = this.plots.filter((other) => other !== plot);
  }

  /** A list to choose a quantity from, for a plot or for a new one. */
  pick(plot) {
    this.panel.querySelector(".picker")?.remove();
    const all = this.runs[0].quantities.filter(({name}) => name !== "time" && name !== "step.time");
    const input = make("input", {type: "search", placeholder: "body.slider.position.x, energy, …", "aria-label": "Quantity"});
    const list = make("ul", {role: "listbox"});
    const box = make("div", {className: "picker"}, input, list);
    let shown = [], chosen = 0;
    const close = () => box.remove();
    const take = (name) => {
      close();
      if (!plot) return this.add([name]);
      if (!plot.names.includes(name)) plot.names = [...plot.names, name];
      return plot.draw();
    };
    const filter = () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      shown = all.filter(({name}) => words.every((word) => name.toLowerCase().includes(word))).slice(0, 100);
      chosen = Math.min(chosen, Math.max(shown.length - 1, 0));
      list.replaceChildren(...shown.map(({name, unit}, k) => make("li", {role: "option", "aria-selected": k === chosen, onclick: () => take(name)},
                                                                 name, make("span", {}, unit === "1" ? "" : unit))));
      list.children[chosen]?.scrollIntoView({block: "nearest"});
    };
    input.addEventListener("input", () => { chosen = 0; filter(); });
    input.addEventListener("keydown", (event) => {
      if (event.key === "Escape") close();
      else if (event.key === "Enter" && shown[chosen]) take(shown[chosen].name);
      else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
        chosen = Math.min(Math.max(chosen + (event.key === "ArrowDown" ? 1 : -1), 0), shown.length - 1);
        filter();
        event.preventDefault();
      }
      event.stopPropagation();
    });
    input.addEventListener("blur", () => setTimeout(() => box.contains(document.activeElement) || close(), 200));
    const anchor = plot ? plot.element : this.panel.lastElementChild;
    box.style.top = `${anchor.offsetTop + (plot ? 26 : -10)}px`;
    this.panel.append(box);
    filter();
    input.focus({preventScroll: true});
    box.scrollIntoView({block: "nearest"});
  }

  zoom(range) {
    this.range = range;
    for (const {graph} of this.plots) {
      if (!graph) continue;
      const times = graph.data[0];
      graph.setSelect({left: 0, width: 0, top: 0, height: 0}, false);
      graph.setScale("x", range ? {min: range[0], max: range[1]} : {min: times[0], max: times[times.length - 1]});
    }
    this.mark(this.t);
  }

  mark(t) {
    this.t = t;
    for (const plot of this.plots) if (plot.element.offsetParent) plot.mark(t);
  }

  redraw() { return Promise.all(this.plots.map((plot) => plot.draw())); }

  resize() {
    if (this.width <= 0) return;
    for (const {graph, element} of this.plots) if (element.offsetParent) graph?.setSize({width: Math.max(this.width, 120), height: graph.height});
    this.mark(this.t);
  }
}
