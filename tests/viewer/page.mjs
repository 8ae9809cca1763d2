// The page in a browser: does it show what the results say? Run by test_viewer.py, which makes the pages.
import assert from "node:assert/strict";
import {execFileSync, spawn} from "node:child_process";
import {after, before, test} from "node:test";
import {changes, drawn, find, keepPicture, launch, load, open} from "./browser.mjs";

const program = process.env.HOOKE_PROGRAM, folder = process.env.HOOKE_PAGES;
const file = (name, hash = "t=0") => `file://${folder}/${name}.html#${hash}`;

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

/** Columns of the results as `hooke export` writes them. */
function table(results, ...names) {
  const text = execFileSync(program, ["export", `${folder}/${results}`, "--csv", "-", ...names], {encoding: "utf8"});
  const [, , ...rows] = text.trim().split("\n");
  return rows.map((row) => row.split(",").map(Number));
}

const near = (actual, expected, most, what) => assert.ok(Math.abs(actual - expected) <= most, `${what}: ${actual} instead of ${expected}`);

test("a page from a file is complete and asks nobody for anything", async () => {
  const page = await open(browser, file("slider_crank"));
  assert.equal(await page.title(), "Spatial slider crank – Hooke");
  assert.deepEqual(await page.locator("#bodies .name").allTextContents(), ["crank", "rod", "slider"]);
  assert.ok(await page.locator(".plot canvas").count() >= 3);
  await page.getByRole("tab", {name: "Model"}).click();
  assert.match(await page.locator("#panel-model").textContent(), /degrees of freedom1/);
  assert.match(await page.locator("#panel-model pre").textContent(), /title: Spatial slider crank/);
  await page.getByRole("tab", {name: "Solver"}).click();
  assert.match(await page.locator("#panel-solver").textContent(), /methodgeneralized-alpha/);
  assert.match(await page.locator("#panel-solver").textContent(), /steps2000/);
  assert.deepEqual(page.requests.filter((address) => !address.startsWith("file:") && !address.startsWith("data:")), []);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("it moves by itself, and the picture changes", async () => {
  const page = await open(browser, file("slider_crank", ""));
  assert.ok(await page.evaluate(() => hooke.isPlaying));
  const first = await page.evaluate(() => hooke.time);
  await page.evaluate(() => hooke.play(false)); // a still picture has a size that does not change
  await keepPicture(page);
  await page.evaluate(() => hooke.play(true));
  await page.waitForTimeout(600);
  await page.evaluate(() => hooke.play(false));
  await keepPicture(page);
  const changed = await changes(page);
  assert.ok(await page.evaluate(() => hooke.time) !== first);
  assert.ok(changed > 1000, `${changed} of the numbers of the picture changed`);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("bodies stand where the results say", async () => {
  const page = await open(browser, file("mass_spring"));
  const rows = table("mass_spring", "body.upper.position", "body.lower.position");
  for (const row of [0, 17, 60, rows.length - 1]) {
    const [t, ...p] = rows[row];
    await page.evaluate((time) => hooke.seek(time), t);
    await drawn(page);
    await keepPicture(page);
    for (const [k, body] of ["upper", "lower"].entries()) {
      const at = p.slice(3 * k, 3 * k + 3), drawnAt = await page.evaluate((name) => hooke.centre(name), body);
      at.forEach((x, axis) => near(drawnAt[axis], x, 1e-5, `${body} at ${t} s`));
      const expected = await page.evaluate((point) => hooke.project(...point), at);
      const found = await find(page, await page.evaluate((name) => hooke.colour(name), body));
      assert.ok(found, `${body} cannot be seen at ${t} s`);
      near(found.x, expected.x, 2, `${body} across, at ${t} s`);
      near(found.y, expected.y, 2, `${body} down, at ${t} s`);
    }
  }
  await page.close();
});

test("a mode vibrates about rest, and the table chooses it", async () => {
  const page = await open(browser, file("modes", "play=no"));
  const rest = table("modes", "body.lower.position.z"), modes = table("modes", "modes");
  assert.equal(await page.locator("#panel-modes tr[aria-current=true]").count(), 1);
  for (const [k, [, frequency]] of modes.entries()) {
    await page.locator("#panel-modes button").nth(k).click();
    assert.ok((await page.locator("#clock").textContent()).includes(`mode ${k + 1}`));
    near(Number(await page.locator("#panel-modes tr").nth(k + 1).locator("td").nth(1).textContent()), frequency, 1e-4, "frequency");
    for (const [t, part] of [[0, 1], [.5, 0], [1, -1]]) { // of two seconds
      await page.evaluate((time) => hooke.seek(time), t);
      const z = (await page.evaluate(() => hooke.centre("lower")))[2];
      near(z, rest[0][1] + part * (rest[k + 1][1] - rest[0][1]), 1e-5, `mode ${k + 1} at ${t} s`);
    }
  }
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("a mode of a solid deforms it", async () => {
  const page = await open(browser, file("bar", "play=no"));
  const modes = table("bar", "modes");
  const points = (t) => page.evaluate((time) => {
    hooke.seek(time);
    const {mesh, group} = hooke.stage.models[0].solids[0], {array} = mesh.geometry.attributes.position, {elements: m} = group.matrix;
    return [...array.keys()].map((n) => [0, 4, 8].reduce((sum, column, axis) => sum + m[column + n % 3] * array[n - n % 3 + axis], m[12 + n % 3])); // in the world
  }, t);
  for (const [k, [, frequency, damping]] of modes.entries()) {
    await page.locator("#panel-modes button").nth(k).click();
    const cells = await page.locator("#panel-modes tr").nth(k + 1).locator("td").allTextContents();
    near(Number(cells[1]), frequency, 1e-4 * frequency, "frequency");
    near(Number(cells[2]), damping, 1e-3 * damping, "damping");
    await page.waitForFunction((number) => hooke.runs[0].mode === number, k);
    const [rest, back, there] = [await points(.5), await points(1), await points(0)];
    const sizes = await page.evaluate(() => [...hooke.stage.models[0].solids[0].values]); // what it is coloured by
    sizes.forEach((size, n) => near(size, Math.hypot(...[0, 1, 2].map((axis) => there[3 * n + axis] - rest[3 * n + axis])), 1e-6, "distance from rest"));
    let most = 0;
    for (let n = 0; n < rest.length; n++) {
      most = Math.max(most, Math.abs(there[n] - rest[n]));
      if (rest[n - n % 3] < 1e-3) near(there[n], rest[n], 1e-6, "where it is clamped");
    }
    for (let n = 0; n < rest.length; n++) near(back[n] - rest[n], rest[n] - there[n], 2 * most ** 2, "to and fro"); // but for how its frame turns
    assert.ok(most > .05, `mode ${k + 1} moves by ${most} m`);
  }
  await page.evaluate(() => hooke.seek(0));
  await drawn(page);
  await keepPicture(page);
  await page.evaluate(() => hooke.seek(1));
  await drawn(page);
  await keepPicture(page);
  assert.ok(await changes(page) > 1000, "the picture moves");
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("between two outputs, bodies are between", async () => {
  const page = await open(browser, file("slider_crank"));
  const [[, x0], [, x1]] = table("slider_crank", "body.slider.position.x").slice(30, 32);
  await page.evaluate(() => hooke.seek(.305));
  near((await page.evaluate(() => hooke.centre("slider")))[0], (x0 + x1) / 2, 1e-5, "slider");
  await page.close();
});

test("plots follow the time, and the time follows a click", async () => {
  const page = await open(browser, file("slider_crank", "t=0&plot=body.slider.position.x"));
  const rows = table("slider_crank", "body.slider.position.x");
  await page.evaluate(() => hooke.seek(1));
  near(Number(await page.locator(".plot .key b").first().textContent()), rows[100][1], 1e-4, "value shown");
  const over = page.locator("#panel-plots .u-over").first(), box = await over.boundingBox();
  const mark = await page.locator("#panel-plots .now").first().boundingBox();
  near(mark.x - box.x, box.width / 2, 2, "the line at 1 s of 2 s");
  await page.mouse.click(box.x + box.width / 4, box.y + box.height / 2);
  near(await page.evaluate(() => hooke.time), .5, .02, "time after the click");
  await page.mouse.move(box.x + box.width * .75, box.y + box.height / 2); // hovering shows values there
  near(Number(await page.locator(".plot .key b").first().textContent()), rows[150][1], 1.5e-2, "value under the mouse");
  await page.mouse.move(box.x + box.width / 2, box.y + 20);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * .75, box.y + 30, {steps: 5});
  await page.mouse.up();
  const zoomed = await page.evaluate(() => hooke.plots.plots[0].graph.scales.x);
  near(zoomed.min, 1, .03, "zoom from");
  near(zoomed.max, 1.5, .03, "zoom to");
  await page.mouse.dblclick(box.x + box.width / 2, box.y + 30);
  near((await page.evaluate(() => hooke.plots.plots[0].graph.scales.x)).max, 2, 1e-6, "all again");
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("any quantity can be added, with an axis of its own, and removed", async () => {
  const page = await open(browser, file("slider_crank", "t=0&plot=body.slider.position.x"));
  await page.getByTitle("Add a curve to this plot").first().click();
  await page.getByLabel("Quantity").fill("step iter");
  await page.getByLabel("Quantity").press("Enter");
  await page.waitForFunction(() => document.querySelectorAll("#panel-plots .key").length === 2);
  assert.deepEqual(await page.locator("#panel-plots .key .name").allTextContents(), ["body.slider.position.x", "step.iterations"]);
  assert.equal(await page.evaluate(() => hooke.plots.plots[0].graph.axes.length), 3);
  await page.getByText("Add a plot").click();
  await page.getByLabel("Quantity").fill("joint.A.force");
  await page.getByLabel("Quantity").press("ArrowDown");
  await page.getByLabel("Quantity").press("Enter");
  await page.waitForFunction(() => document.querySelectorAll("#panel-plots .plot canvas").length === 2);
  assert.match(await page.locator("#panel-plots .key .name").last().textContent(), /joint\.A\.force\.y/);
  await page.locator("#panel-plots .key").last().hover();
  await page.getByTitle("Remove joint.A.force.y").click();
  assert.equal(await page.locator("#panel-plots .plot").count(), 1);
  await page.close();
});

test("keys do what they say", async () => {
  const page = await open(browser, file("slider_crank"));
  const state = () => page.evaluate(() => ({t: hooke.time, isPlaying: hooke.isPlaying, theme: document.documentElement.dataset.theme}));
  await page.keyboard.press("ArrowRight");
  near((await state()).t, .01, 1e-9, "one output on");
  await page.keyboard.press("Shift+ArrowRight");
  near((await state()).t, .11, 1e-9, "ten more");
  await page.keyboard.press("ArrowLeft");
  near((await state()).t, .1, 1e-9, "one back");
  await page.keyboard.press("End");
  near((await state()).t, 2, 1e-9, "the end");
  await page.keyboard.press("Home");
  near((await state()).t, 0, 1e-9, "the beginning");
  await page.keyboard.press("Space");
  assert.ok((await state()).isPlaying);
  await page.keyboard.press("Space");
  assert.ok(!(await state()).isPlaying);
  await page.keyboard.press("-");
  assert.equal(await page.locator("#speed").inputValue(), "0.5");
  await page.keyboard.press("t");
  assert.equal((await state()).theme, "dark");
  for (const key of ["f", "v", "v", "v", "g", "j", "a", "p", "l"]) await page.keyboard.press(key);
  await page.keyboard.press("?");
  assert.ok(await page.locator("#keys").isVisible());
  await page.keyboard.press("Escape");
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("a body can be chosen in the picture and followed", async () => {
  const page = await open(browser, file("mass_spring"));
  const box = await page.locator("#canvas").boundingBox();
  const at = await page.evaluate(() => hooke.pixel("lower"));
  await page.mouse.move(box.x + at.x, box.y + at.y);
  assert.equal(await page.locator("#tip").textContent(), "lower");
  await page.mouse.click(box.x + at.x, box.y + at.y);
  assert.equal(await page.locator("#card h3").textContent(), "lower");
  await page.getByRole("button", {name: "Follow"}).click();
  await page.evaluate(() => hooke.seek(1.23));
  await drawn(page);
  const followed = await page.evaluate(() => hooke.pixel("lower"));
  near(followed.x, box.width / 2, 1, "across");
  near(followed.y, box.height / 2, 1, "down");
  await page.close();
});

test("several runs are drawn over each other", async () => {
  const page = await open(browser, file("both"));
  assert.deepEqual(await page.locator("#chips button").allTextContents(), ["slider_crank", "coarse"]);
  await page.evaluate(() => hooke.seek(1));
  const [fine, coarse] = await page.evaluate(() => [hooke.centre("slider", 0)[0], hooke.centre("slider", 1)[0]]);
  near(fine, table("slider_crank", "body.slider.position.x")[100][1], 1e-6, "first run");
  near(coarse, table("coarse", "body.slider.position.x")[100][1], 1e-6, "second run");
  const keys = page.locator("#panel-plots .plot").first().locator(".key");
  assert.equal(await keys.count(), 2);
  await page.locator("#chips button").last().click();
  await page.waitForFunction(() => document.querySelector("#panel-plots .plot").querySelectorAll(".key").length === 1);
  await page.getByRole("tab", {name: "Solver"}).click();
  assert.match(await page.locator("#panel-solver").textContent(), /steps2000400/);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("a rod is a tube through its nodes", async () => {
  const page = await open(browser, file("rod"));
  await page.evaluate(() => { hooke.look(0, -1, .001); hooke.seek(.8); });
  await page.keyboard.press("j"); // without joints
  await drawn(page);
  await keepPicture(page);
  const bend = 1e-3 + 1.5 * 80 / 101;
  const colour = await page.evaluate(() => hooke.colour("beam"));
  for (const part of [.1, .37, .5, .9]) { // on the axis, on nodes and between them, there is the tube
    const angle = bend * part, R = 2 / bend;
    const at = await page.evaluate((point) => hooke.project(...point), [R * Math.sin(angle), 0, R * (1 - Math.cos(angle))]);
    // On a slow machine the picture is coarser, and one pixel of it may be that of an edge.
    const near = [0, -2, 2].flatMap((x) => [0, -2, 2].map((y) => ({x: at.x + x, y: at.y + y})));
    const seen = await Promise.all(near.map((point) => find(page, colour, point)));
    assert.ok(seen.some(Boolean), `no tube at ${part} of the length`);
  }
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("a solid is coloured by displacement or stress and can be magnified", async () => {
  const page = await open(browser, file("solid", "t=1"));
  await page.evaluate(() => hooke.look(.2, -.5, 1));
  await drawn(page);
  await keepPicture(page);
  const fixed = await page.evaluate((p) => hooke.project(...p), [.55, .05, 0]), moved = await page.evaluate((p) => hooke.project(...p), [1.45, .95, .9]);
  assert.ok(await find(page, "#440154", fixed), "the fixed corner is dark");
  assert.ok(await find(page, "#cde22b", moved) ?? await find(page, "#fde725", moved), "the moved corner is light");
  assert.match(await page.locator("#solids .legend").textContent(), /1 m/);
  await page.getByLabel("Colour by").selectOption("stress");
  await page.waitForFunction(() => document.querySelector("#solids .legend").textContent.includes("Pa"));
  assert.match(await page.locator("#solids .legend").textContent(), /1\.00e6 Pa|1000000 Pa/);
  await page.getByLabel("Magnify displacements").fill("1");
  assert.match(await page.locator("#solids output").textContent(), /10×/);
  await keepPicture(page);
  assert.ok(await changes(page) > 1000, `the picture changes`);
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("contacts have arrows where they act, and press on solids", async () => {
  const page = await open(browser, file("gripper", "t=0.6&forces&colour=pressure&units=kPa&sheer=block,right&hidden=hand,nobody"));
  const [[, ...left], [, ...right]] = ["left", "right"].map((name) => table("gripper", `contact.${name}.force`, `contact.${name}.place`).at(-1));
  await page.waitForFunction(() => hooke.stage.models[0].arrows.parts.force.meshes[0].count > 0);
  const arrows = await page.evaluate(() => {
    const {parts} = hooke.stage.models[0].arrows, {meshes: [body, tip], perLength, material} = parts.force;
    return [...Array(body.count).keys()].map((k) => {
      const from = [...body.instanceMatrix.array.slice(16 * k + 12, 16 * k + 15)], to = [...tip.instanceMatrix.array.slice(16 * k + 12, 16 * k + 15)];
      return {from, force: to.map((x, axis) => (x - from[axis]) * perLength), colour: `#${material.color.getHexString()}`};
    });
  });
  for (const [Fx, Fy, Fz, ...place] of [left, right]) {
    assert.ok(Math.abs(Fx) > 15, `the fingers press with ${Fx} N`);
    const found = arrows.find(({from}) => Math.hypot(...from.map((x, axis) => x - place[axis])) < 1e-6);
    assert.ok(found, `no arrow at ${place}`);
    [Fx, Fy, Fz].forEach((F, axis) => near(found.force[axis], F, 1e-3 * Math.abs(Fx), `force along ${"xyz"[axis]}`));
  }
  assert.match(await page.locator("#arrows").textContent(), /Force: \d+ N per grid square/);

  // The mean over the face is force over area: 20 mm x 30 mm, 3 x 4 elements; nodes at edges have half an element's area, those at corners a quarter.
  assert.equal(await page.getByLabel("Colour by").inputValue(), "pressure");
  assert.deepEqual(await page.evaluate(() => hooke.stage.models[0].looks.slice(0, 6)), ["hidden", "sheer", "shown", "shown", "shown", "sheer"]);
  assert.match(await page.locator("#solids .legend").textContent(), /kPa/);
  const force = await page.evaluate(() => {
    const solid = hooke.stage.models[0].solids.find(({number}) => hooke.runs[0].bodies[number] === "left"), {rest, values} = solid;
    let sum = 0;
    for (let n = 0; n < values.length; n++) {
      const isEdge = (axis, half) => Math.abs(Math.abs(rest[3 * n + axis]) - half) < 1e-6;
      if (rest[3 * n] > .0049) sum += values[n] * .02 * .03 / 12 * (isEdge(1, .01) ? .5 : 1) * (isEdge(2, .015) ? .5 : 1);
      else if (values[n] !== 0) return NaN;
    }
    return sum;
  });
  near(force, Math.abs(left[0]), .03 * Math.abs(left[0]), "pressure times area");
  await page.getByLabel("Colour by").selectOption("no colours");
  await drawn(page);
  await keepPicture(page);
  await page.getByLabel("Colour by").selectOption("pressure");
  await page.evaluate(() => hooke.look(1, 0, 0));
  await drawn(page);
  await keepPicture(page);
  assert.ok(await changes(page) > 1000, "pressure is seen");
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("the server's page works like the file, asks only the server, and is light or dark", async () => {
  const server = spawn(program, ["view", `${folder}/slider_crank`, "--no-open"]);
  try {
    const address = (await new Promise((next) => server.stdout.once("data", next))).toString().split("\n")[0];
    const page = await open(browser, address + "#t=0.3", {colorScheme: "dark"});
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    near((await page.evaluate(() => hooke.centre("slider")))[0], table("slider_crank", "body.slider.position.x")[30][1], 1e-5, "slider");
    assert.deepEqual(page.requests.filter((each) => !each.startsWith(address) && !each.startsWith("data:")), []);
    assert.deepEqual(page.complaints, []);
    await page.close();
  } finally {
    server.kill("SIGINT");
  }
});

test("a run is shown while it goes on", async () => {
  const models = `${process.env.HOOKE_ROOT}/models`;
  const run = spawn(program, ["run", `${models}/chain.yaml`, "--live", "--no-open", "--end", "1e5", "--out", `${folder}/live`, "--quiet"]);
  const ended = new Promise((next) => run.once("exit", next));
  try {
    const address = (await new Promise((next) => run.stdout.once("data", next))).toString().split("\n")[0];
    const page = await open(browser, address);
    assert.match(await page.locator("#chips").textContent(), /running/);
    const frames = () => page.evaluate(() => hooke.runs[0].times.length);
    const first = await frames(), end = await page.evaluate(() => hooke.time);
    await page.waitForFunction((count) => hooke.runs[0].times.length > count, first, {timeout: 30000});
    await page.waitForFunction((t) => hooke.time > t, end, {timeout: 30000}); // the picture follows
    run.kill("SIGINT");
    assert.equal(await ended, 130);
    await page.waitForFunction(() => !document.getElementById("note").hidden, null, {timeout: 30000}); // it says that the server is gone
    assert.ok(await frames() > first);
    await page.close();
  } finally {
    run.kill("SIGKILL");
  }
});

/** Nothing of what the file says has run, or become an element. */
async function isHarmless(page, title) {
  assert.equal(await page.title(), title);
  const own = ["img", "iframe", "object", "embed", "form", "base", "[onerror]", "[onmouseover]"];
  assert.equal(await page.locator(own.join()).count(), 0);
  assert.deepEqual(page.complaints, []);
}

const hostileTitle = "\"><script>document.title='owned'</script>";

async function lookThroughHostile(page) {
  await isHarmless(page, `${hostileTitle} – Hooke`);
  const names = await page.locator("#bodies .name").allTextContents();
  assert.equal(names[1], "</script><script>document.title='owned'</script>");
  assert.equal(names[13], "../../etc/passwd");
  assert.equal(names[23], "Μηχανισμός 机构 آلية");
  assert.equal(names.at(-1).length, 10000);
  for (const body of [0, 3, 16, 17, names.length - 1]) {
    await page.evaluate((k) => hooke.select(k), body);
    assert.equal(await page.locator("#card h3").textContent(), names[body]);
    await page.getByRole("button", {name: "Plot position"}).click();
    await page.evaluate((k) => hooke.select(k), body);
  }
  const quantities = await page.evaluate(() => hooke.runs[0].quantities.map(({name}) => name));
  for (const name of quantities.filter((each) => each.endsWith(".angle"))) await page.evaluate((each) => hooke.plots.add([each, "energy.total"]), name);
  for (const tab of ["Model", "Solver", "Plots"]) await page.getByRole("tab", {name: tab}).click();
  await page.getByText("Add a plot").click();
  await page.getByLabel("Quantity").fill("img");
  for (const field of await page.getByLabel("Colour by").locator("option").allTextContents()) await page.getByLabel("Colour by").selectOption(field);
  for (const key of ["t", "a", "p", "ArrowRight"]) await page.evaluate((each) => dispatchEvent(new KeyboardEvent("keydown", {key: each})), key);
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 1200);
  await isHarmless(page, `${hostileTitle} – Hooke`);
}

test("what a results file says stays text, in a page from a file", async () => {
  const page = await open(browser, file("hostile"));
  await lookThroughHostile(page);
  assert.deepEqual(page.requests.filter((address) => !address.startsWith("file:") && !address.startsWith("data:")), []);
  await page.close();
});

test("what a model says stays text", async () => {
  const page = await open(browser, file("hostile_model", "t=0&tab=model"));
  await isHarmless(page, "</title><img src=x onerror=document.title='owned'>\u2028 – Hooke");
  assert.match(await page.locator("#panel-model pre").textContent(), /^# <\/script><script>document\.title='owned'<\/script> <!--<script>\n/);
  await page.close();
});

test("what a results file says stays text, in the server's page", async () => {
  const server = spawn(program, ["view", `${folder}/hostile`, "--no-open"]);
  try {
    const address = (await new Promise((next) => server.stdout.once("data", next))).toString().split("\n")[0];
    const page = await open(browser, address + "#t=0");
    await lookThroughHostile(page);
    const names = page.requests.filter((each) => !each.startsWith("data:")).map((each) => each.slice(address.length));
    for (const name of names) assert.match(name, /^(#t=0|runs\.json|data\/\d+\/\d+\/\d+|)$/);
    await page.close();
  } finally {
    server.kill("SIGINT");
  }
});

test("what a results file says stays text, in a report and in a plot", async () => {
  const report = await load(browser, `file://${folder}/hostile-report.html`);
  await isHarmless(report, `${hostileTitle} – Hooke`);
  assert.equal(await report.locator("h1").textContent(), hostileTitle);
  assert.equal(await report.locator("script").count(), 0);
  assert.equal(await report.evaluate(() => document.documentElement.scrollWidth), 1200);
  await report.close();
  const plot = await load(browser, `file://${folder}/hostile.svg`);
  assert.deepEqual(plot.complaints, []);
  assert.equal(await plot.evaluate(() => [...document.querySelectorAll("*")].map(({tagName}) => tagName).filter((tag) => !["svg", "rect", "path", "text"].includes(tag)).join()), "");
  assert.match(await plot.locator("text").allTextContents().then((texts) => texts.join()), /<img src=x onerror="document\.title='owned'">/);
  await plot.close();
});

test("a script that got into a page would not run", async () => {
  for (const name of ["slider_crank", "hostile-report"]) {
    const page = await load(browser, `file://${folder}/${name}.html`);
    const title = await page.title();
    await page.evaluate(() => {
      const script = document.createElement("script");
      try { script.textContent = "document.title = 'owned'"; } catch { script.append("document.title = 'owned'"); }
      document.head.append(script);
    });
    assert.equal(await page.title(), title);
    assert.match(page.complaints.join(), /Content Security Policy|TrustedScript|Trusted Type/);
    await page.close();
  }
});

test("a small window has everything, too", async () => {
  const page = await open(browser, file("rocker"), {viewport: {width: 480, height: 800}});
  for (const id of ["canvas", "transport", "panel-plots"]) assert.ok(await page.locator(`#${id}`).isVisible());
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 480);
  await page.close();
});

test("without WebGL there are plots and facts, and a word about it", async () => {
  const page = await browser.newPage();
  await page.addInitScript(() => {
    const context = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function(kind, ...rest) { return /webgl/.test(kind) ? null : context.call(this, kind, ...rest); };
  });
  await page.goto(file("slider_crank"));
  await page.waitForFunction(() => window.hooke?.isReady);
  assert.match(await page.locator("#note").textContent(), /no WebGL/);
  assert.ok(await page.locator(".plot canvas").count() >= 3);
  await page.getByRole("tab", {name: "Solver"}).click();
  assert.match(await page.locator("#panel-solver").textContent(), /steps2000/);
  await page.close();
});
