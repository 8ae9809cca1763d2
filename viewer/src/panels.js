// What there is to read: facts about the model, warnings, how the solver fared.
import {make, number} from "./text.js";

const table = (rows) => make("table", {className: "facts"}, make("tbody", {}, ...rows.map((cells) =>
  make("tr", {}, ...cells.map((cell) => make("td", {}, cell instanceof Node ? cell : String(cell)))))));

const heading = (text) => make("h2", {}, text);

export function fillModel(panel, runs) {
  const [run] = runs;
  panel.replaceChildren();
  for (const each of runs) {
    if (each.status === "failed") panel.append(make("div", {className: "message bad"}, `${each.label}: ${each.message || "the run failed"}`));
    for (const text of each.warnings) panel.append(make("div", {className: "message"}, text));
    for (const text of each.notes) panel.append(make("div", {className: "message info"}, text));
  }
  panel.append(heading("Model"), table([["title", run.title || "–"], ...run.facts, ["gravity", `${run.gravity.map((x) => number(x)).join(", ")} m/s²`]]));
  panel.append(heading("Bodies"), make("table", {className: "facts"}, make("tbody", {},
    make("tr", {}, ...["name", "mass (kg)", "principal inertia (kg m²)"].map((text) => make("th", {}, text))),
    ...run.bodies.slice(0, 200).map((name, k) => make("tr", {}, make("td", {}, name), make("td", {}, run.masses[k] ? number(run.masses[k]) : "–"),
                                                      make("td", {}, (run.inertias[k] ?? []).map((x) => number(x, 3)).join(", ") || "–"))))));
  if (run.joints.length) {
    panel.append(heading("Joints"), table(run.joints.slice(0, 200).map(({name, type, bodies}) =>
      [name, `${type}: ${bodies.map((body) => body < 0 ? "ground" : run.bodies[body] ?? run.rods[run.carriers[body - run.bodies.length][0]].name).join(" – ")}`])));
  }
  if (run.forces.length) panel.append(heading("Forces"), table(run.forces.slice(0, 200).map(({name, type}) => [name, type])));
  if (run.modes.frequency?.length) {
    panel.append(heading("Modes"), table([["mode", "frequency (Hz)", "damping"], ...run.modes.frequency.map((f, k) => [k + 1, number(f, 6), number(run.modes.damping[k])])]));
  }
  panel.append(heading("Model file"), make("pre", {}, run.model));
}

const summary = (values) => {
  let low = Infinity, high = -Infinity, sum = 0;
  for (const x of values) low = Math.min(low, x), high = Math.max(high, x), sum += x;
  return {low, high, sum, mean: values.length ? sum / values.length : NaN};
};

/** Two numbers a row for every run: what it cost and how well it kept the constraints and the energy. */
async function statistics(run) {
  const read = async (name) => (await run.series(name))?.y ?? [];
  const [size, iterations, tangents, rejections, position, velocity, total, kinetic] =
    await Promise.all(["step.size", "step.iterations", "step.factorizations", "step.rejections", "constraints.position", "constraints.velocity",
                       "energy.total", "energy.kinetic"].map(read));
  const h = summary(size), n = summary(iterations), energy = summary(total);
  const rows = [["method", run.integrator], ["solver", run.solver], ["simulated", `${number(run.end - run.begin)} s`], ["outputs", run.times.length]];
  if (size.length) {
    rows.push(["steps", size.length], ["step size", h.low === h.high || h.high - h.low < 1e-9 * h.high ? `${number(h.mean)} s` : `${number(h.low)} … ${number(h.high)} s`],
              ["rejected tries", summary(rejections).sum]);
    if (n.sum) rows.push(["Newton iterations", `${number(n.mean, 3)} per step, at most ${n.high}`], ["tangents factorized", summary(tangents).sum]);
  }
  rows.push(["largest violation", `${number(summary(position).high, 3)} m or rad`], ["… of velocities", `${number(summary(velocity).high, 3)} per s`]);
  if (total.length) rows.push(["total energy", `${number(energy.low, 6)} … ${number(energy.high, 6)} J`], ["… its range / largest kinetic", number((energy.high - energy.low) / summary(kinetic).high, 3)]);
  if (run.wall_time) rows.push(["wall time", `${run.wall_time} s`]);
  rows.push(["made", `${run.created} by hooke ${run.hooke}`]);
  return rows;
}

export async function fillSolver(panel, runs, plots) {
  const all = await Promise.all(runs.map(statistics));
  const names = [...new Set(all.flat().map(([name]) => name))];
  const rows = names.map((name) => [name, ...all.map((of) => of.find(([key]) => key === name)?.[1] ?? "–")]);
  if (runs.length > 1) rows.unshift(["", ...runs.map((run) => run.label)]);
  const charts = make("div");
  panel.replaceChildren(heading("Statistics"), table(rows), heading("Over time"), charts);
  const has = (name) => runs.some((run) => run.byName.has(name));
  const groups = [["step.size"], ["step.iterations"], ["constraints.position"], ["energy.kinetic", "energy.potential", "energy.total"]];
  for (const names of groups) if (names.every(has) && !(names[0].startsWith("step") && !runs.some((run) => run.sets["steps/time"].total))) await plots.addFixed(names, charts);
}
