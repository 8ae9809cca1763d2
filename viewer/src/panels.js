// What there is to read: facts about the model, warnings, how the solver fared.
import {make, number} from "./text.js";
import {withoutRoundOff} from "./units.js";

const table = (rows) => make("table", {className: "facts"}, make("tbody", {}, ...rows.map((cells) =>
  make("tr", {}, ...cells.map((cell) => make("td", {}, cell instanceof Node ? cell : String(cell)))))));

const heading = (text) => make("h2", {}, text);

export function fillModel(panel, runs, units) {
  const [run] = runs, mass = units.show("kg"), inertia = units.show("kg m^2"), gravity = units.show("m/s^2");
  const numbers = (values, {factor}, digits) => values.map((x) => number(factor * withoutRoundOff(x, Math.max(...values.map(Math.abs))), digits)).join(", ");
  panel.replaceChildren();
  for (const each of runs) {
    if (each.status === "failed") panel.append(make("div", {className: "message bad"}, `${each.label}: ${each.message || "the run failed"}`));
    for (const text of each.warnings) panel.append(make("div", {className: "message"}, text));
    for (const text of each.notes) panel.append(make("div", {className: "message info"}, text));
  }
  panel.append(heading("Model"), table([["title", run.title || "–"], ...run.facts, ["gravity", `${numbers(run.gravity, gravity)} ${gravity.unit}`]]));
  panel.append(heading("Bodies"), make("table", {className: "facts"}, make("tbody", {},
    make("tr", {}, ...["name", `mass (${mass.unit})`, `principal inertia (${inertia.unit})`].map((text) => make("th", {}, text))),
    ...run.bodies.slice(0, 200).map((name, k) => make("tr", {}, make("td", {}, name), make("td", {}, run.masses[k] ? number(mass.factor * run.masses[k]) : "–"),
                                                      make("td", {}, numbers(run.inertias[k] ?? [], inertia, 3) || "–"))))));
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

export async function fillSolver(panel, runs, plots) {
  const all = runs.map((run) => run.statistics);
  const names = [...new Set(all.flat().map(([name]) => name))];
  const rows = names.map((name) => [name, ...all.map((of) => of.find(([key]) => key === name)?.[1] ?? "–")]);
  if (runs.length > 1) rows.unshift(["", ...runs.map((run) => run.label)]);
  const charts = make("div");
  panel.replaceChildren(heading("Statistics"), table(rows), heading("Over time"), charts);
  const has = (name) => runs.some((run) => run.byName.has(name));
  const groups = [["step.size"], ["step.iterations"], ["constraints.position"], ["energy.kinetic", "energy.potential", "energy.total"]];
  for (const names of groups) if (names.every(has) && !(names[0].startsWith("step") && !runs.some((run) => run.sets["steps/time"].total))) await plots.addFixed(names, charts);
}
