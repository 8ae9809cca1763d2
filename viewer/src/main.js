// The page of `hooke view`: brings the runs, the animation, the plots and the panels together.
import {Vector3} from "three";
import {Bodies} from "./bodies.js";
import {colour, isDark} from "./colours.js";
import {Modes} from "./modes.js";
import {fillModel, fillSolver} from "./panels.js";
import {Plots} from "./plots.js";
import {ArrowLegend, SolidLegend} from "./legends.js";
import {isExported, loadRuns, Run} from "./source.js";
import {Stage} from "./stage.js";
import {icon, icons, make, number} from "./text.js";
import {Triad} from "./triad.js";
import {storedUnits, storeUnits, Units} from "./units.js";

const by = (id) => document.getElementById(id);
const speeds = [.01, .02, .05, .1, .2, .5, 1, 2, 5, 10];
const options = new URLSearchParams(location.hash.slice(1));

/** Time, and whether it runs. */
const player = {t: 0, begin: 0, end: 1, speed: 1, isPlaying: false, isLoop: true, isFollowingRun: false};
let stage, plots, runs, units, bodies, arrows, solids, modes, frameTimes = [];

// ---- time

function seek(t) {
  player.t = Math.min(Math.max(t, player.begin), player.end);
  showTime();
}

function showTime() {
  by("slider").value = player.end > player.begin ? (player.t - player.begin) / (player.end - player.begin) : 0;
  if (runs[0].isVibrating) {
    by("clock").replaceChildren(`mode ${runs[0].mode + 1} `, make("small", {}, `${number(runs[0].modes.frequency[runs[0].mode], 6)} Hz`));
    return showState();
  }
  const digits = Math.max(2, Math.min(6, 3 - Math.floor(Math.log10(player.end - player.begin || 1))));
  by("clock").replaceChildren(`${player.t.toFixed(digits)} `, make("small", {}, `/ ${player.end.toFixed(digits)} s`));
  if (stage) showState();
}

/** Puts everything where it is at the time; asks for numbers that are missing and tries again when they came. */
function showState() {
  const isThere = stage.update(player.t);
  player.isWaiting = !isThere;
  if (!isThere) loadAt(player.t).then(() => player.isWaiting && showState());
  plots.mark(player.t);
  solids?.update();
  bodies?.showCard();
}

const animated = (run) => [...["bodies/position", "bodies/orientation", ...run.rods.map((rod) => rod.set)].map((path) => run.sets[path]),
                           ...(stage?.models[run.number].solids ?? []).flatMap((solid) => solid.sets(stage.models[run.number].look.field)),
                           ...(stage?.models[run.number].arrows.sets ?? [])].filter(Boolean);

const loadAt = (t) => Promise.all(runs.map((run) => Promise.all(animated(run).filter((set) => set.total).flatMap((set) =>
  run.rowsAt(t).map((k) => set.load(Math.floor(k / set.rowsPerPiece)))))));

/** A mode in place of the outputs. */
async function showMode(k) {
  runs[0].mode = k;
  setSpan();
  for (const {look} of stage.models) look.range = look.field === "displacement" ? [0, 0] : [Infinity, -Infinity];
  await loadAt(player.begin);
  seek(Math.min(player.t, player.end));
}

/** All pieces of the animation, one after the other, while the page is already in use. */
async function loadRest() {
  for (const run of runs) {
    for (const set of animated(run)) {
      for (let piece = 0; piece < set.pieceCount; piece++) {
        await set.load(piece);
        showLoaded();
        await new Promise((next) => setTimeout(next));
      }
    }
  }
}

function showLoaded() {
  const sets = runs.flatMap(animated), total = sets.reduce((sum, set) => sum + set.total, 0);
  const there = sets.reduce((sum, set) => sum + set.pieces.reduce((rows, piece) => rows + piece.length / set.width, 0), 0);
  by("loaded").style.width = `${total ? 100 * there / total : 100}%`;
}

function play(isPlaying) {
  if (isPlaying && player.t >= player.end) player.t = player.begin;
  player.isPlaying = isPlaying;
  player.last = performance.now();
  by("play").replaceChildren(icon(isPlaying ? icons.pause : icons.play));
}

function stepFrames(count) {
  play(false);
  if (runs[0].isVibrating) return seek((player.t + count * player.end / 16 + player.end) % player.end);
  const run = runs[0], {row, part} = run.locate(player.t);
  const target = Math.min(Math.max(row + count + (count < 0 && part > 1e-6 ? 1 : 0), 0), run.times.length - 1);
  seek(run.times[target]);
}

function setSpeed(speed) {
  player.speed = speed;
  by("speed").value = String(speed);
}

function tick(now) {
  requestAnimationFrame(tick);
  if (player.isPlaying && !player.isWaiting) {
    const passed = Math.min((now - player.last) / 1000, .25) * player.speed;
    let t = player.t + passed;
    if (t > player.end) {
      if (player.isLoop && player.end > player.begin) t = player.begin + (t - player.end) % (player.end - player.begin);
      else {
        t = player.end;
        play(player.isFollowingRun);
      }
    }
    player.t = t;
    showTime();
  }
  player.last = now;
  if (stage.render(player.isPlaying)) {
    frameTimes.push(performance.now());
    if (frameTimes.length > 240) frameTimes.shift();
  }
}

// ---- the parts of the page

function showTab(name) {
  for (const tab of by("tabs").children) tab.setAttribute("aria-selected", String(tab.dataset.name === name));
  for (const each of ["modes", "plots", "model", "solver"]) by(`panel-${each}`).hidden = each !== name;
  plots.resize();
}

/** The outputs of a run that looked for modes are their shapes. */
const hasModes = () => runs.length === 1 && runs[0].hasShapes;

function buildTabs() {
  const warnings = runs.reduce((sum, run) => sum + run.warnings.length + (run.status === "failed" ? 1 : 0), 0);
  by("tabs").replaceChildren(...[...(hasModes() ? [["modes", "Modes"]] : [["plots", "Plots"]]), ["model", "Model"], ["solver", "Solver"]].map(([name, text]) => {
    const tab = make("button", {role: "tab", onclick: () => showTab(name)}, text);
    tab.dataset.name = name;
    if (name === "model" && warnings) tab.append(make("span", {className: "count", title: "warnings"}, String(warnings)));
    return tab;
  }));
}

const good = new Map([["finished", "good"], ["running", "warn"], ["interrupted", "warn"], ["failed", "bad"]]);

function buildChips() {
  by("title").textContent = runs[0].title || runs[0].label;
  document.title = `${runs[0].title || runs[0].label} – Hooke`;
  if (runs.length === 1) {
    const [run] = runs;
    return by("chips").replaceChildren(make("span", {className: `chip ${good.get(run.status) ?? ""}`, title: run.message}, run.status),
                                       make("span", {className: "chip"}, run.integrator), make("span", {className: "chip"}, `${run.bodies.length} bodies`));
  }
  by("chips").replaceChildren(...runs.map((run, k) => {
    const dot = make("i");
    dot.style.background = colour(k);
    const chip = make("button", {className: "chip", "aria-pressed": String(run.isShown), title: `Show or hide: ${run.integrator}, ${run.status}`}, dot, run.label);
    chip.onclick = () => {
      run.isShown = !run.isShown || runs.filter((other) => other.isShown).length === 1;
      buildChips();
      showState();
      plots.redraw();
    };
    return chip;
  }));
}

function toggles() {
  const of = (part) => (isOn) => stage.models.forEach((model) => model[part].visible = isOn);
  return [
    {key: "f", icon: icons.fit, title: "Fit all motion into the view (F); also of bodies that flew away (shift F)", act: (event) => {
      bodies.follow(false);
      stage.fit(undefined, event?.shiftKey ?? false);
    }},
    {key: "v", icon: icons.camera, title: "View along x, y, z (V)", act: () => { stage.axis = ((stage.axis ?? -1) + 1) % 3; stage.lookAlong(stage.axis); }},
    null,
    {key: "b", icon: icons.list, title: "List of bodies (B)", isOn: !by("bodies").hidden, set: (isOn) => by("bodies").hidden = !isOn},
    {key: "g", icon: icons.grid, title: "Ground grid (G)", isOn: true, set: (isOn) => stage.ground.visible = isOn},
    {key: "j", icon: icons.joints, title: "Joints and springs (J)", isOn: true, set: of("joints")},
    {key: "a", icon: icons.frames, title: "Axes of the bodies (A)", isOn: false, set: of("frames")},
    {key: "p", icon: icons.trails, title: "Paths of the mass centres (P)", isOn: false, set: (isOn) => {
      of("trails")(isOn);
      if (isOn) Promise.all(stage.models.map((model) => model.addTrails())).then(showState);
    }},
    ...[["n", "force", icons.forces, "Forces (N)"], ["m", "torque", icons.torques, "Torques (M)"]]
      .filter(([, kind]) => arrows.has(kind))
      .map(([key, kind, picture, title]) => ({key, icon: picture, title, isOn: false, set: (isOn) => arrows.show(kind, isOn)})),
  ];
}

/** Where controls lie over the picture. */
function insets() {
  const margin = 24, isAbove = by("tools").offsetWidth > by("tools").offsetHeight; // a row over the picture
  return {top: (isAbove ? by("tools").offsetHeight : 0) + margin, bottom: by("transport").offsetHeight + margin};
}

const shortcuts = {};

function buildTools() {
  by("tools").replaceChildren(...toggles().map((tool) => {
    if (!tool) return make("hr");
    const button = make("button", {title: tool.title, "aria-label": tool.title}, icon(tool.icon));
    const act = tool.act ?? (() => {
      tool.isOn = !tool.isOn;
      button.setAttribute("aria-pressed", String(tool.isOn));
      tool.set(tool.isOn);
      showState();
    });
    if (tool.set) button.setAttribute("aria-pressed", String(tool.isOn));
    button.onclick = act;
    shortcuts[tool.key] = act;
    return button;
  }));
}

function buildTransport() {
  by("speed").replaceChildren(...speeds.map((speed) => make("option", {value: String(speed)}, speed < 1 ? `1/${Math.round(1 / speed)}×` : `${speed}×`)));
  const duration = player.end - player.begin; // a run of a tenth of a second is over before it is seen
  const fitting = duration > 0 ? speeds.reduce((best, speed) => Math.abs(Math.log(duration / speed / 8)) < Math.abs(Math.log(duration / best / 8)) ? speed : best, 1) : 1;
  setSpeed(duration >= 2 && duration <= 60 ? 1 : fitting);
  by("play").onclick = () => play(!player.isPlaying);
  by("slider").oninput = () => {
    player.isFollowingRun = false;
    seek(player.begin + by("slider").value * (player.end - player.begin));
  };
  by("speed").onchange = () => setSpeed(Number(by("speed").value));
  by("loop").replaceChildren(icon(icons.loop));
  by("loop").onclick = () => {
    player.isLoop = !player.isLoop;
    by("loop").setAttribute("aria-pressed", String(player.isLoop));
  };
}

function buildKeys() {
  const keys = [["space", "play or pause"], ["← →", "one output back or on (with shift: ten)"], ["home end", "first, last"], ["+ −", "faster, slower"], ["L", "loop"],
                ["F", "fit all motion into the view (with shift: also of bodies that flew away)"], ["V", "view along x, y, z"], ["G J A P", "grid, joints, axes, paths"],
                ["N M", "arrows of forces, torques"], ["B", "list of bodies"], ["H X I", "hide, see through, isolate the chosen body"], ["U", "show all bodies"],
                ["T", "light or dark"], ["esc", "no body selected"]];
  by("keys").replaceChildren(make("h3", {}, "Keys"), make("table", {}, ...keys.map(([key, text]) =>
    make("tr", {}, make("td", {}, ...key.split(" ").flatMap((one) => [make("kbd", {}, one), " "])), make("td", {}, text)))),
    make("p", {}, "Drag turns the view, right drag moves it, the wheel zooms. In a plot, a click moves the time, a drag zooms, a double click shows all."));
  by("keys").onclick = () => by("keys").close();
  by("help").onclick = () => by("keys").showModal();
}

Object.assign(shortcuts, {
  " ": () => play(!player.isPlaying),
  ArrowLeft: (event) => stepFrames(event.shiftKey ? -10 : -1),
  ArrowRight: (event) => stepFrames(event.shiftKey ? 10 : 1),
  Home: () => seek(player.begin),
  End: () => seek(player.end),
  "+": () => setSpeed(speeds[Math.min(speeds.indexOf(player.speed) + 1, speeds.length - 1)]),
  "-": () => setSpeed(speeds[Math.max(speeds.indexOf(player.speed) - 1, 0)]),
  l: () => by("loop").click(),
  t: () => setTheme(isDark() ? "light" : "dark"),
  "?": () => by("keys").showModal(),
  h: () => bodies.toggle("hidden"),
  x: () => bodies.toggle("sheer"),
  i: () => bodies.isolate(),
  u: () => bodies.showAll(),
  Escape: () => bodies.selected !== null && bodies.select(bodies.selected),
});

function listenToKeys() {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    const {tagName, type} = event.target;
    if (tagName === "SELECT" || tagName === "INPUT" && type !== "range") return;
    if (tagName === "BUTTON" && (event.key === " " || event.key === "Enter")) return;
    const act = shortcuts[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    act(event);
    event.preventDefault();
  });
}

function listenToMouse() {
  const canvas = by("canvas");
  let down = null;
  canvas.addEventListener("pointerdown", (event) => down = [event.offsetX, event.offsetY]);
  canvas.addEventListener("pointerup", (event) => {
    if (!down || Math.hypot(event.offsetX - down[0], event.offsetY - down[1]) > 4) return;
    const body = stage.pick(event.offsetX, event.offsetY);
    if (body >= 0) bodies.select(body);
    else if (bodies.selected !== null) bodies.select(bodies.selected);
  });
  canvas.addEventListener("pointermove", (event) => {
    const body = event.buttons ? -1 : stage.pick(event.offsetX, event.offsetY);
    by("tip").hidden = body < 0;
    canvas.style.cursor = body < 0 ? "" : "pointer";
    if (body < 0) return;
    by("tip").textContent = runs[0].bodies[body];
    by("tip").style.left = `${event.offsetX}px`;
    by("tip").style.top = `${event.offsetY}px`;
  });
  canvas.addEventListener("pointerleave", () => by("tip").hidden = true);
}

function setTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try { localStorage.setItem("hooke-theme", theme); } catch { /* a page from a file may have no storage */ }
  if (!stage) return;
  stage.recolour();
  bodies?.build();
  buildChips();
  plots.redraw();
}

function startTheme() {
  let theme = options.get("theme");
  try { theme ??= localStorage.getItem("hooke-theme"); } catch { /* as above */ }
  theme ??= matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
  setTheme(theme);
  by("theme").replaceChildren(icon(icons.theme));
  by("theme").onclick = shortcuts.t;
}

/** A choice for each unit that has others. */
function buildUnits() {
  by("units").replaceChildren(icon(icons.units));
  by("units").onclick = () => by("choose-units").showModal();
  const choices = units.kinds.map(([si, others]) => {
    const choice = make("select", {"aria-label": `Instead of ${si}`}, ...[si, ...others].map((name) => make("option", {value: name}, name)));
    choice.value = units.chosen.get(si)?.name ?? si;
    choice.onchange = () => setUnits(choices.map(({value}) => value).join());
    return choice;
  });
  by("choose-units").replaceChildren(make("h3", {}, "Units"), make("div", {className: "choices"}, ...choices), make("button", {onclick: () => by("choose-units").close()}, "Done"));
}

function setUnits(words) {
  units = plots.units = new Units(units.table, words);
  storeUnits(units.words);
  plots.redraw();
  fillModel(by("panel-model"), runs, units);
  arrows.update();
  showState();
}

async function moves(name) {
  const {y} = await runs[0].series(name);
  const first = y[0];
  return y.some((value) => Math.abs(value - first) > 1e-6 * Math.max(1, Math.abs(first)) * Math.min(1, runs[0].size));
}

/** What one would look at first: the joint coordinates that move, a body that moves, and the energy. */
async function firstPlots() {
  const [run] = runs, has = (name) => run.byName.has(name);
  const wanted = options.get("plot")?.split(";").map((names) => names.split(",").filter(has)).filter((names) => names.length);
  if (wanted?.length) return wanted;
  const first = [];
  const coordinates = (run.labels.coordinates ?? []).filter((label) => label.startsWith("joint."));
  const units = new Map();
  for (const label of coordinates) {
    const {unit} = run.byName.get(label);
    if (!units.has(unit)) units.set(unit, []);
    if (units.get(unit).length < 3 && await moves(label)) units.get(unit).push(label);
  }
  first.push(...[...units.values()].filter((labels) => labels.length));
  if (run.bodies.length && first.length < 2) {
    const moving = [];
    for (const axis of ["x", "y", "z"]) if (await moves(`body.${run.bodies.at(-1)}.position.${axis}`)) moving.push(`body.${run.bodies.at(-1)}.position.${axis}`);
    if (moving.length) first.push(moving);
  }
  if (has("energy.total")) first.push(runs.length > 1 ? ["energy.total"] : ["energy.kinetic", "energy.potential", "energy.total"]);
  return runs.length > 1 ? first.map(([one]) => [one]) : first; // a curve of each run is enough to compare
}

/** While a run goes on, ask now and then how far it is. */
async function followRun() {
  let failures = 0;
  while (runs.some((run) => run.status === "running")) {
    await new Promise((next) => setTimeout(next, 700));
    const facts = await loadRuns().catch(() => null);
    if (!facts && ++failures === 3) return note("the server is gone; what was loaded stays");
    if (!facts) continue;
    failures = 0;
    const grew = await Promise.all(runs.map((run, k) => run.grow(facts[k]))).catch(() => []);
    if (!grew.some(Boolean)) continue;
    const before = stage.bounds.extent.length();
    setSpan();
    showLoaded();
    loadRest().catch(() => null);
    buildChips();
    await plots.redraw().catch(() => null); // a piece that could not be had comes with the next turn
    if (stage.bounds.extent.length() > 1.02 * before) {
      stage.drawGround();
      if (stage.followed === null) stage.fit();
    }
    await arrows.measure().catch(() => null);
    if (player.isFollowingRun) seek(player.end);
  }
  fillModel(by("panel-model"), runs, units);
}

function setSpan() {
  player.begin = Math.min(...runs.map((run) => run.begin));
  player.end = Math.max(...runs.map((run) => run.end));
}

function note(text) {
  by("note").textContent = text;
  by("note").hidden = !text;
}

/** The runs, once there is something to see of each: one that goes on may not have written anything yet. */
async function firstRuns() {
  for (;;) {
    const facts = await loadRuns();
    if (isExported() || facts.every((run) => run.sets.time.total > 0 || run.status !== "running")) {
      note("");
      return facts;
    }
    note("waiting for the first results");
    await new Promise((next) => setTimeout(next, 300));
  }
}

async function start() {
  startTheme();
  document.body.classList.toggle("bare", options.has("bare")); // for a slide: the animation alone
  buildKeys();
  const facts = await firstRuns();
  runs = facts.map((each, k) => new Run(k, each));
  await Promise.all(runs.map((run) => run.start()));
  setSpan();
  buildTabs();
  buildChips();
  buildTransport();
  play(false);
  units = new Units(runs[0].unit_choices, options.get("units") ?? storedUnits());
  plots = new Plots(by("panel-plots"), runs, units, (t) => { player.isFollowingRun = false; seek(t); });
  await loadAt(player.begin);
  stage = new Stage(by("canvas"), runs, new Triad(by("triad")), insets);
  if (stage.isBlank) note("This browser has no WebGL, so there is no animation; plots and facts are here.");
  by("bodies").hidden = matchMedia("(max-width: 560px)").matches; // no room: B or its button shows it
  bodies = new Bodies({
    list: by("bodies"), card: by("card"), stage, runs, units: () => units, time: () => player.t, changed: showState,
    plot: (names) => plots.add(names).then(() => showTab("plots")),
  });
  arrows = new ArrowLegend(by("arrows"), stage, () => units, showState);
  solids = new SolidLegend(by("solids"), stage, () => units, showState);
  buildTools();
  buildUnits();
  listenToKeys();
  listenToMouse();
  showTab("plots");
  if (hasModes()) {
    modes = new Modes(by("panel-modes"), runs[0], showMode);
    modes.show(Math.min(Math.max(Number(options.get("mode") ?? modes.first + 1), 1), runs[0].modes.frequency.length) - 1);
    buildTransport();
  }
  solids.choose?.(options.get("colour"));
  for (const look of ["hidden", "sheer"])
    for (const name of options.get(look)?.split(",") ?? []) if (bodies.names.includes(name)) bodies.setLook(bodies.names.indexOf(name), look);
  seek(Number(options.get("t") ?? player.begin));
  await loadAt(player.t);
  showState();
  requestAnimationFrame(tick);
  fillModel(by("panel-model"), runs, units);
  if (!modes) for (const names of await firstPlots()) await plots.add(names);
  await fillSolver(by("panel-solver"), runs, plots);
  showTab(options.get("tab") ?? (modes ? "modes" : "plots"));
  if (options.has("paths")) shortcuts.p();
  if (options.has("forces")) shortcuts.n?.();
  if (options.has("torques")) shortcuts.m?.();
  const rest = loadRest();
  if (!isExported() && runs.some((run) => run.status === "running")) {
    player.isFollowingRun = true;
    rest.catch(() => null); // comes with the next turn
    followRun();
  } else if (options.get("play") !== "no" && player.end > player.begin && !matchMedia("(prefers-reduced-motion: reduce)").matches && !options.has("t")) {
    play(true);
  }
  if (!player.isFollowingRun) await rest; // of a run that goes on there may always be more
  window.hooke.isReady = true;
}

/** For tests and for whoever is curious in the console. */
window.hooke = {
  isReady: false,
  get time() { return player.t; },
  get isPlaying() { return player.isPlaying; },
  get runs() { return runs; },
  picture: () => stage.picture(),
  get plots() { return plots; },
  get modes() { return modes; },
  seek, play, setSpeed,
  select: (body) => bodies.select(body),
  get stage() { return stage; },
  get bodies() { return bodies; },
  /** Pixels of the mass centre of a body, from the top left of the canvas. */
  pixel: (body, run = 0) => stage.project(stage.models[run].centre(runs[run].bodies.indexOf(body))),
  project: (x, y, z) => stage.project(new Vector3(x, y, z)),
  centre: (body, run = 0) => stage.models[run].centre(runs[run].bodies.indexOf(body)).toArray(),
  colour: (body) => stage.models[0].bodyColour(runs[0].bodies.indexOf(body)),
  look: (x, y, z) => stage.fit(new Vector3(x, y, z).normalize()),
  get framesPerSecond() {
    const count = frameTimes.length;
    return count > 1 ? 1000 * (count - 1) / (frameTimes[count - 1] - frameTimes[0]) : 0;
  },
  resetFrameTimes: () => frameTimes = [],
};

start().catch((error) => {
  note(`This page could not start: ${error.message}`);
  console.error(error);
});
