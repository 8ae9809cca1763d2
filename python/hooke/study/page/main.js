// ---- the page

const study = JSON.parse(document.getElementById("study").textContent);
const find = (selector) => document.querySelector(selector);
const make = (tag, text, parent) => {
  const made = document.createElement(tag);
  made.textContent = text;
  parent?.append(made);
  return made;
};

const names = [...study.variables, ...study.outputs];
const axes = Object.fromEntries(names.map((name) =>
  [name, {...numeric(study.columns[name]), name, isOutput: study.outputs.includes(name)}]));
const count = study.columns.seconds.length;
const state = {
  count, chosen: null, ranges: {},
  isIn: (run) => Object.entries(state.ranges).every(([name, [low, high]]) => axes[name].numbers[run] >= low && axes[name].numbers[run] <= high),
  colour: (run, alpha) => {
    const axis = axes[choices.colour.value];
    return study.reasons[run] !== undefined ? `rgb(207 34 46 / ${alpha})` : ramp((axis.numbers[run] - axis.low) / (axis.high - axis.low), alpha);
  },
};

function choice(parent, label, options, start) {
  const box = make("label", label + " ", parent), select = document.createElement("select");
  for (const name of options) make("option", name, select);
  select.value = options.includes(start) ? start : options[0];
  select.addEventListener("change", draw);
  box.append(select);
  return select;
}

const choices = {colour: find("#colour")};
for (const name of names) make("option", name, choices.colour);
choices.colour.value = study.findings.output ?? study.outputs[study.outputs.length - 1] ?? names[0];
choices.colour.addEventListener("change", draw);
const scatter = find("#scatter .choices"), surface = find("#surface .choices");
choices.x = choice(scatter, "x", names, names[0]);
choices.y = choice(scatter, "y", names, study.findings.output ?? study.outputs[0]);
const strongest = [...study.variables].sort((a, b) => Math.abs(correlationWith(b)) - Math.abs(correlationWith(a)));
choices.first = choice(surface, "x", study.variables, strongest[0]);
choices.second = choice(surface, "y", study.variables, strongest[1]);

// ---- what is drawn

let parallel, scatterSpots = [], surfaceSpots = [];

function draw() {
  parallel = drawParallel(find("#parallel canvas"), names.map((name) => axes[name]), state);
  scatterSpots = drawScatter(find("#scatter canvas"), axes[choices.x.value], axes[choices.y.value], state);
  drawTheSurface();
  drawSensitivity();
  const convergence = study.findings.convergence;
  find("#convergence").hidden = !convergence;
  if (convergence) {
    find("#convergence .note").textContent = study.findings.output ? "best value so far" : "least residual so far";
    drawConvergence(find("#convergence canvas"), convergence.map((value) => value ?? NaN), study.findings.output ?? "residual");
  }
}

/** Of a variable with what colours, over the runs that have both. */
function correlationWith(name) {
  const [x, y] = [axes[name].numbers, axes[choices.colour.value].numbers];
  const good = y.map((_, run) => run).filter((run) => Number.isFinite(y[run]));
  return correlation(good.map((run) => x[run]), good.map((run) => y[run]));
}

/** Of the output that colours, over the two chosen variables. */
function drawTheSurface() {
  const output = axes[choices.colour.value], used = study.variables.filter((name) => !axes[name].texts.length);
  const [x, y] = [axes[choices.first.value], axes[choices.second.value]];
  const scaled = (name, value) => 2 * (value - axes[name].low) / (axes[name].high - axes[name].low) - 1;
  const good = output.numbers.map((_, run) => run).filter((run) => Number.isFinite(output.numbers[run]));
  const fit = output.isOutput && used.includes(x.name) && used.includes(y.name) && x !== y
    ? quadratic(good.map((run) => used.map((name) => scaled(name, axes[name].numbers[run]))), good.map((run) => output.numbers[run])) : null;
  const canvas = find("#surface canvas"), note = find("#surface .note");
  if (!fit) {
    pen(canvas);
    surfaceSpots = [];
    note.textContent = "Needs two variables that are numbers, an output as colour, and more runs than a quadratic function has terms.";
    return;
  }
  const middle = used.map((name) => good.reduce((sum, run) => sum + scaled(name, axes[name].numbers[run]), 0) / good.length);
  const at = (u, v) => fit.value(used.map((name, i) => name === x.name ? 2 * u - 1 : name === y.name ? 2 * v - 1 : middle[i]));
  const {spots, low, high} = drawSurface(canvas, x, y, {at}, state);
  surfaceSpots = spots;
  note.textContent = `${output.name} from ${shown(low)} (dark) to ${shown(high)} (light): a quadratic function of all variables, ` +
    `the others at their means; it explains ${(100 * fit.explained).toFixed(1)} % of the variance` +
    (fit.explained < .8 ? ": too little to be trusted, look at the scatter." : ".");
}

function drawSensitivity() {
  const output = axes[choices.colour.value], note = find("#sensitivity .note"), canvas = find("#sensitivity canvas");
  const indices = study.findings.indices?.[output.name];
  if (indices?.first) {
    note.textContent = `Sobol's indices of ${output.name}: alone (above), with all others (below), and their 95 % intervals`;
    drawBars(canvas, study.variables.map((name) => ({name, parts: [indices.first[name], indices.total[name]]})), 0, 1);
    return;
  }
  note.textContent = `Rank correlation of ${output.name} with each variable, between -1 and 1`;
  drawBars(canvas, study.variables.map((name) => ({name, parts: [{value: correlationWith(name)}]})), -1, 1);
}

// ---- the chosen run

function row(...texts) {
  const line = find("#run table").insertRow();
  for (const text of texts) line.insertCell().textContent = text;
}

/** Before one is chosen: what came out of all of them. */
function tellOutputs() {
  const finite = (name) => axes[name].numbers.filter(Number.isFinite);
  row("", "least", "mean", "greatest");
  for (const name of study.outputs.filter((name) => finite(name).length)) {
    const values = finite(name), pick = (least) => values.reduce((a, b) => (a < b) === least ? a : b);
    row(name, ...[pick(true), values.reduce((a, b) => a + b, 0) / values.length, pick(false)].map((value) => shown(Number(value.toPrecision(4)))));
  }
}

function choose(run) {
  state.chosen = run;
  const table = find("#run table"), see = find("#see"), note = find("#run .note");
  table.replaceChildren();
  find("#run h2").textContent = `Run ${run}`;
  for (const name of names) row(name, shown(study.columns[name][run]));
  row("computing time", `${shown(study.columns.seconds[run])} s`);
  if (study.reasons[run] !== undefined) row("failed", study.reasons[run]);
  const isServed = location.protocol === "http:", isThere = study.views.includes(run);
  see.hidden = !study.has_model || !(isServed || isThere);
  see.href = `views/${run}.html`;
  note.textContent = !study.has_model || isServed || isThere ? "" : `To see it move: hooke study FILE --view ${run}, or hooke study FILE --show`;
  draw();
}

function nearest(spots, event) {
  let best = null, least = 14;
  spots.forEach(([x, y], run) => {
    const away = Math.hypot(x - event.offsetX, y - event.offsetY);
    if (away < least && state.isIn(run)) [best, least] = [run, away];
  });
  return best;
}
for (const [selector, spots] of [["#scatter canvas", () => scatterSpots], ["#surface canvas", () => surfaceSpots]])
  find(selector).addEventListener("click", (event) => {
    const run = nearest(spots(), event);
    if (run !== null) choose(run);
  });

// ---- ranges on the axes of the parallel coordinates; a click near a line chooses its run

const lines = find("#parallel canvas");
let dragged = null;
const axisAt = (event) => names.map((name) => axes[name]).find((_, i) => Math.abs(parallel.X(i) - event.offsetX) < 14);
lines.addEventListener("pointerdown", (event) => {
  const axis = axisAt(event);
  if (!axis) return chooseLine(event);
  dragged = {axis, from: parallel.value(axis, event.offsetY)};
  lines.setPointerCapture(event.pointerId);
});
lines.addEventListener("pointermove", (event) => {
  if (!dragged) return;
  const ends = [dragged.from, parallel.value(dragged.axis, event.offsetY)].sort((a, b) => a - b);
  state.ranges[dragged.axis.name] = ends;
  draw();
});
lines.addEventListener("pointerup", () => { dragged = null; });
lines.addEventListener("dblclick", (event) => {
  const axis = axisAt(event);
  if (axis) delete state.ranges[axis.name];
  else state.ranges = {};
  draw();
});
function chooseLine(event) {
  const i = names.findIndex((_, k) => k + 1 < names.length && parallel.X(k) <= event.offsetX && event.offsetX < parallel.X(k + 1));
  if (i < 0) return;
  const u = (event.offsetX - parallel.X(i)) / (parallel.X(i + 1) - parallel.X(i)), [a, b] = [axes[names[i]], axes[names[i + 1]]];
  const place = (axis, run) => parallel.bottom - (axis.numbers[run] - axis.low) / (axis.high - axis.low) * (parallel.bottom - parallel.top);
  const spots = Array.from({length: count}, (_, run) => [event.offsetX, (1 - u) * place(a, run) + u * place(b, run)]);
  const run = nearest(spots, event);
  if (run !== null) choose(run);
}

// ---- the beginning

find("#title").textContent = study.title;
const failed = Object.keys(study.reasons).length;
make("span", `${count} runs`, find("#chips")).className = "chip";
make("span", failed ? `${failed} failed` : "all finished", find("#chips")).className = failed ? "chip bad" : "chip good";
if (study.findings.best) make("span", Object.entries(study.findings.best).map(([name, value]) => `${name} = ${shown(value)}`).join(", "), find("#chips")).className = "chip";
const best = study.findings.best && Array.from({length: count}, (_, run) => run).find((run) => study.variables.every((name) => study.columns[name][run] === study.findings.best[name]));
addEventListener("resize", draw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
if (count) tellOutputs();
if (count) best === undefined || best === null ? draw() : choose(best);
window.hooke = {isReady: true, state, choose, spot: (run) => scatterSpots[run]};
