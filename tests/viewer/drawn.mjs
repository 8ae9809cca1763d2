// What the page draws, and how it is shown: sections, arrows, hidden bodies, units, a phone. Run by test_viewer.py.
import assert from "node:assert/strict";
import {execFileSync} from "node:child_process";
import {after, before, test} from "node:test";
import {drawn, find, keepPicture, launch, open} from "./browser.mjs";
import {Units, withoutRoundOff} from "../../viewer/src/units.js";

const program = process.env.HOOKE_PROGRAM, folder = process.env.HOOKE_PAGES;
const file = (name, hash = "t=0") => `file://${folder}/${name}.html#${hash}`;

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

/** Rows of the results as `hooke export` writes them, without the time. */
function table(results, ...names) {
  const text = execFileSync(program, ["export", `${folder}/${results}`, "--csv", "-", ...names], {encoding: "utf8"});
  return text.trim().split("\n").slice(2).map((row) => row.split(",").slice(1).map(Number));
}

const near = (actual, expected, most, what) => assert.ok(Math.abs(actual - expected) <= most, `${what}: ${actual} instead of ${expected}`);
const dot = (a, b) => a.reduce((sum, x, k) => sum + x * b[k], 0);

test("a panel is as wide and as thin as its section, in the axes of its nodes", async () => {
  const page = await open(browser, file("panel", "t=1"));
  const points = await page.evaluate(() => [...hooke.stage.models[0].rods[0].mesh.geometry.attributes.position.array]);
  const [x, y, z, w, i, j, k] = table("panel", "body.right.node.0").at(-1);
  const axes = [[1 - 2 * (j * j + k * k), 2 * (i * j + w * k), 2 * (i * k - w * j)], [2 * (i * j - w * k), 1 - 2 * (i * i + k * k), 2 * (j * k + w * i)]];
  const first = Array.from({length: 8}, (_, n) => points.slice(3 * n, 3 * n + 3).map((p, axis) => p - [x, y, z][axis])); // the ring at the first node
  for (const corner of first) {
    near(Math.abs(dot(corner, axes[0])), .2, 1e-5, "half the width");
    near(Math.abs(dot(corner, axes[1])), .002, 1e-5, "half the thickness");
  }
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("nodes of a rod can be plotted", async () => {
  const page = await open(browser, file("panel", "t=1&plot=body.right.node.12.position.x"));
  near(Number(await page.locator("#panel-plots .key b").first().textContent()), table("panel", "body.right.node.12.position.x").at(-1)[0], 1e-5, "tip");
  assert.equal(await page.locator("#panel-plots .key .unit").first().textContent(), "m");
  await page.close();
});

test("sharp edges are drawn: twelve of a box, none of a sphere", async () => {
  const page = await open(browser, file("lost"));
  const edges = await page.evaluate(() => hooke.stage.models[0].group.children.filter((child) => child.isLineSegments && child.isInstancedMesh && child.count)
    .map(({geometry, count}) => [geometry.attributes.position.count / 2, count]));
  assert.deepEqual(edges, [[12, 1]]);
  await page.close();
});

test("bodies are hidden, seen through and alone, by list, card and keys", async () => {
  const page = await open(browser, file("mass_spring"));
  const looks = () => page.evaluate(() => [...hooke.stage.models[0].looks]);
  const seen = async (body) => {
    await page.waitForTimeout(400); // until it is drawn with all detail
    await drawn(page);
    await keepPicture(page);
    return (await find(page, await page.evaluate((name) => hooke.colour(name), body)))?.count ?? 0;
  };
  const height = () => page.evaluate(() => hooke.project(0, 0, -.3).y - hooke.project(0, 0, -.2).y); // of a tenth of a metre
  const all = await seen("lower"), far = await height();
  assert.ok(all > 100);
  await page.getByRole("button", {name: "lower: shown; change"}).click();
  assert.deepEqual(await looks(), ["shown", "sheer"]);
  assert.ok(await seen("lower") < all / 2, "a body that is seen through is pale");
  await page.getByRole("button", {name: "lower: see-through; change"}).press("Enter");
  assert.deepEqual(await looks(), ["shown", "hidden"]);
  assert.equal(await seen("lower"), 0);
  assert.ok(await seen("upper") > 100);
  await page.getByRole("button", {name: "Show all"}).click();
  assert.equal(await seen("lower"), all);
  await page.locator("#bodies .name").first().click();
  await page.getByRole("button", {name: "Isolate"}).click();
  assert.deepEqual(await looks(), ["shown", "hidden"]);
  await page.keyboard.press("f"); // the view is of what is shown
  assert.ok(await height() > 1.2 * far, `${await height()} pixels instead of ${far}`);
  await page.keyboard.press("i");
  assert.deepEqual(await looks(), ["shown", "shown"]);
  await page.keyboard.press("x");
  assert.deepEqual(await looks(), ["sheer", "shown"]);
  await page.keyboard.press("h");
  assert.deepEqual(await looks(), ["hidden", "shown"]);
  await page.keyboard.press("u");
  assert.deepEqual(await looks(), ["shown", "shown"]);
  const box = await page.locator("#canvas").boundingBox();
  await page.keyboard.press("h"); // what is hidden is not in the way of the mouse
  const at = await page.evaluate(() => hooke.pixel("upper"));
  await page.mouse.move(box.x + at.x, box.y + at.y);
  assert.ok(!await page.locator("#tip").isVisible());
  assert.deepEqual(page.complaints, []);
  await page.close();
});

/** Where arrows of a kind begin, and what they stand for. */
const arrows = (page, kind) => page.evaluate((of) => {
  const {meshes: [shaft, head], perLength} = hooke.stage.models[0].arrows.parts[of];
  return Array.from({length: shaft.count}, (_, k) => {
    const [at, end] = [shaft, head].map(({instanceMatrix}) => [...instanceMatrix.array.slice(16 * k + 12, 16 * k + 15)]);
    return {at, value: end.map((x, axis) => perLength * (x - at[axis]))};
  });
}, kind);

test("arrows are the forces of the results", async () => {
  const page = await open(browser, file("mass_spring", "t=0.3&forces"));
  await page.waitForFunction(() => hooke.stage.models[0].arrows.parts.force.meshes[0].count > 0);
  const [lower] = (await arrows(page, "force")).slice(-1), [force] = table("mass_spring", "force.spring2.force").slice(30), [place] = table("mass_spring", "body.lower.position").slice(30);
  lower.value.forEach((x, axis) => near(x, force[axis], 1e-3, "the spring on the lower mass"));
  lower.at.forEach((x, axis) => near(x, place[axis], 1e-5, "where it acts"));
  const before = await page.locator("#arrows").textContent();
  assert.match(before, /Force: \d+ N per grid square/);
  await page.getByLabel("Length of arrows").fill("0.5");
  assert.notEqual(await page.locator("#arrows").textContent(), before);
  await page.keyboard.press("n");
  await page.waitForFunction(() => document.getElementById("arrows").hidden);
  await page.close();
});

/** Reactions on the rod are turned from the axes of the joints, else they would not accelerate it as they do. */
test("arrows of joints make the motion", async () => {
  const page = await open(browser, file("slider_crank", "t=0.5&forces&torques"));
  await page.waitForFunction(() => hooke.stage.models[0].arrows.parts.force.meshes[0].count === 4);
  const all = await arrows(page, "force"), [acceleration] = table("slider_crank", "body.rod.acceleration").slice(50);
  [0, 0, 9.81].forEach((g, axis) => near(all[1].value[axis] + all[2].value[axis], .5 * (acceleration[axis] + g), 2e-3, `mass times acceleration along ${"xyz"[axis]}`));
  assert.deepEqual(page.complaints, []);
  await page.close();
});

test("numbers are in the units one likes, and round-off is zero", async () => {
  const page = await open(browser, file("slider_crank", "t=1&plot=body.slider.position.x;joint.A.angle&units=mm,deg"));
  const [x, angle] = table("slider_crank", "body.slider.position.x", "joint.A.angle")[100];
  const shown = async (k) => Number(await page.locator("#panel-plots .key b").nth(k).textContent());
  near(await shown(0), 1e3 * x, .01, "mm");
  near(await shown(1), angle * 180 / Math.PI, .1, "deg");
  assert.deepEqual(await page.locator("#panel-plots .key .unit").allTextContents(), ["mm", "deg"]);
  await page.getByRole("button", {name: "Units"}).click();
  await page.getByLabel("Instead of m", {exact: true}).selectOption("cm");
  await page.getByRole("button", {name: "Done"}).click();
  await page.waitForFunction(() => document.querySelector("#panel-plots .key .unit").textContent === "cm");
  near(await shown(0), 1e2 * x, .001, "cm");
  await page.locator("#bodies .name").last().click();
  const cells = await page.locator("#card tr").first().locator("td").allTextContents();
  assert.equal(cells.at(-1), "cm");
  near(Number(cells[1]), 1e2 * x, .01, "in the card");
  assert.deepEqual(cells.slice(2, 4), ["0", "0"]); // y and z of the slider are round-off
  assert.equal(await page.evaluate(() => hooke.plots.plots[0].graph.axes[0].label), "time (s)");
  await page.close();
});

test("units stand in products and powers, as in plots and reports", () => {
  const units = new Units([{name: "mm", of: "m", factor: 1e3}, {name: "rpm", of: "rad/s", factor: 30 / Math.PI}, {name: "kN", of: "N", factor: 1e-3}], "mm,rpm,kN,inch");
  for (const [unit, factor, text] of [["m/s^2", 1e3, "mm/s^2"], ["kg m^2", 1e6, "kg mm^2"], ["N m", 1, "kN mm"], ["1/m", 1e-3, "1/mm"], ["rad/s", 30 / Math.PI, "rpm"],
                                      ["m or rad", 1, "m or rad"], ["__proto__", 1, "__proto__"], ["<b>", 1, "<b>"], ["", 1, ""]]) {
    const shown = units.show(unit);
    assert.equal(shown.unit, text);
    near(shown.factor, factor, 1e-12 * factor, unit);
  }
  assert.equal(units.words, "mm,rpm,kN");
  assert.equal(withoutRoundOff(1e-19, 1), 0);
  assert.equal(withoutRoundOff(1e-9, 1), 1e-9);
});

test("letters tell x, y and z", async () => {
  const page = await open(browser, file("mass_spring"));
  await page.evaluate(() => hooke.look(0, -1, .001)); // x to the right, z up
  await drawn(page);
  const letters = await page.evaluate(() => Object.fromEntries([...document.querySelectorAll("#triad text")].map((text) => [text.textContent, [Number(text.getAttribute("x")), Number(text.getAttribute("y"))]])));
  near(letters.x[0], 65, 1, "x is to the right");
  near(letters.x[1], 36, 1, "x is level");
  near(letters.z[1], 7, 1, "z is up");
  assert.ok(letters.y);
  await page.close();
});

test("the view fits what stayed, and everything on demand", async () => {
  const page = await open(browser, file("lost"));
  const apart = () => page.evaluate(() => Math.abs(hooke.pixel("a").x - hooke.pixel("b").x));
  assert.ok(await apart() > 150, `${await apart()} pixels`);
  await page.keyboard.press("Shift+F");
  assert.ok(await apart() < 20, `${await apart()} pixels`);
  await page.keyboard.press("f");
  assert.ok(await apart() > 150, `${await apart()} pixels`);
  await page.close();
});

test("on a phone, a finger moves the time", async () => {
  const page = await open(browser, file("rocker"), {viewport: {width: 390, height: 844}, hasTouch: true, isMobile: true, deviceScaleFactor: 2});
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
  const slider = await page.locator("#slider").boundingBox();
  assert.ok(slider.width >= 300 && slider.height >= 40, `the slider has ${slider.width} x ${slider.height} pixels`);
  await page.touchscreen.tap(slider.x + .75 * slider.width, slider.y + slider.height / 2);
  near(await page.evaluate(() => hooke.time), 1.5, .08, "time");
  for (const button of await page.locator("#tools button, #play, #loop, #top button").all()) {
    const {width, height} = await button.boundingBox();
    assert.ok(width >= 40 && height >= 40, `a button has ${width} x ${height} pixels`);
  }
  const stage = await page.locator("#stage").boundingBox(), bottom = (await page.locator("#transport").boundingBox()).y - stage.y, top = (await page.locator("#tools").boundingBox()).height;
  for (const body of await page.evaluate(() => hooke.runs[0].bodies)) { // controls do not cover what moves
    const {x, y} = await page.evaluate((name) => hooke.pixel(name), body);
    assert.ok(x > 0 && x < 390 && y > top && y < bottom, `${body} is at ${x}, ${y}`);
  }
  assert.ok(!await page.locator("#bodies").isVisible());
  await page.getByRole("button", {name: "List of bodies"}).tap();
  const name = await page.locator("#bodies .name").first().boundingBox();
  assert.ok(name.height >= 40);
  assert.deepEqual(page.complaints, []);
  await page.close();
});
