// How fast the page is without a graphics card. Run by tests/long/test_viewer_speed.py on pages it makes.
import assert from "node:assert/strict";
import {spawn} from "node:child_process";
import {after, before, test} from "node:test";
import {launch, open} from "./browser.mjs";

const program = process.env.HOOKE_PROGRAM, folder = process.env.HOOKE_PAGES;

let browser;
before(async () => { browser = await launch(); });
after(() => browser.close());

async function framesPerSecond(page) {
  await page.evaluate(() => hooke.play(true));
  await page.waitForTimeout(2500); // it finds its detail
  await page.evaluate(() => hooke.resetFrameTimes());
  await page.waitForTimeout(4000);
  return page.evaluate(() => hooke.framesPerSecond);
}

test("128 bodies move at 30 pictures a second", async () => {
  const page = await open(browser, `file://${folder}/chain.html`, {viewport: {width: 1280, height: 800}});
  const rate = await framesPerSecond(page);
  console.log(`128 bodies: ${rate.toFixed(1)} pictures a second`);
  assert.ok(rate >= 30, `${rate}`);
});

test("1000 bodies with 1000 outputs come in pieces and move smoothly", async () => {
  const server = spawn(program, ["view", `${folder}/many`, "--no-open"]);
  try {
    const address = (await new Promise((next) => server.stdout.once("data", next))).toString().split("\n")[0];
    const page = await open(browser, address, {viewport: {width: 1280, height: 800}});
    const pieces = await page.evaluate(() => hooke.runs[0].sets["bodies/position"].pieceCount);
    assert.ok(pieces >= 10, `${pieces} pieces`);
    const velocities = await page.evaluate(() => hooke.runs[0].sets["bodies/velocity"].pieces.length);
    assert.equal(velocities, 0, "what nobody looks at is not loaded");
    const rate = await framesPerSecond(page);
    console.log(`1000 bodies: ${rate.toFixed(1)} pictures a second`);
    assert.ok(rate >= 20, `${rate}`);
  } finally {
    server.kill("SIGINT");
  }
});
