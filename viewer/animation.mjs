// node viewer/animation.mjs PAGE#OPTIONS FOLDER WIDTH HEIGHT BEGIN END COUNT
// Pictures 000.png, 001.png, ... of an exported page at COUNT times from BEGIN to just before END, as tools/pictures needs them.
import {join} from "node:path";
import {pathToFileURL} from "node:url";
import {drawn, launch, open} from "../tests/viewer/browser.mjs";

const [page, folder, ...numbers] = process.argv.slice(2);
const [width, height, begin, end, count] = numbers.map(Number);
const [path, options = ""] = page.split("#");
const browser = await launch();
const opened = await open(browser, `${pathToFileURL(path)}#t=${begin}&${options}`, {viewport: {width, height}});
await opened.waitForTimeout(500);
for (let k = 0; k < count; ++k) {
  await opened.evaluate((t) => hooke.seek(t), begin + k * (end - begin) / count);
  await opened.waitForTimeout(300); // until it is drawn with all detail
  await drawn(opened);
  await opened.screenshot({path: join(folder, `${String(k).padStart(3, "0")}.png`)});
}
if (opened.complaints.length) console.error(opened.complaints.join("\n"));
await browser.close();
