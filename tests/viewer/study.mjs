// node tests/viewer/study.mjs PAGE: the page of a study in a browser. Prints what it found as JSON.
import {pathToFileURL} from "node:url";
import {launch, open} from "./browser.mjs";

const browser = await launch();
const page = await open(browser, pathToFileURL(process.argv[2]).href);
const text = (selector) => page.locator(selector).first().innerText();
const pixels = (selector) => page.locator(selector).first().evaluate((canvas) => {
  const {data} = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return data.filter((value, k) => k % 4 === 3 && value > 0).length;
});
const found = {title: await page.title(), heading: await text("h1"), chips: await page.locator(".chip").allInnerTexts(), drawn: {}};
for (const name of ["parallel", "scatter", "surface", "sensitivity"]) found.drawn[name] = await pixels(`#${name} canvas`);

found.outputs = await text("#run table");

// Click on the run that is in the middle of the scatter plot.
const spot = await page.evaluate(() => hooke.spot(1));
await page.locator("#scatter canvas").click({position: {x: spot[0], y: spot[1]}});
found.chosen = await text("#run h2");
found.run = await text("#run table");
found.link = await page.locator("#see").evaluate((link) => link.hidden ? null : link.getAttribute("href"));

// Keep the upper half of the first axis of the parallel coordinates.
const box = await page.locator("#parallel canvas").boundingBox();
await page.mouse.move(box.x + 60, box.y + 28);
await page.mouse.down();
await page.mouse.move(box.x + 60, box.y + box.height / 2);
await page.mouse.up();
found.kept = await page.evaluate(() => Array.from({length: hooke.state.count}, (_, run) => run).filter(hooke.state.isIn).length);
found.complaints = page.complaints;
found.requests = page.requests.filter((address) => !address.startsWith("file:") && !address.startsWith("data:"));
found.injected = await page.evaluate(() => window.injected ?? null);
console.log(JSON.stringify(found));
await browser.close();
