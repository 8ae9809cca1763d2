// node viewer/screenshot.mjs PAGE#OPTIONS PICTURE.png WIDTH HEIGHT
// A picture of an exported page, as tools/pictures makes those of docs/.
import {pathToFileURL} from "node:url";
import {launch, open} from "../tests/viewer/browser.mjs";

const [page, picture, width, height] = process.argv.slice(2);
const [path, options = ""] = page.split("#");
const browser = await launch();
const opened = await open(browser, `${pathToFileURL(path)}#${options}`, {
  viewport: {width: Number(width), height: Number(height)},
  colorScheme: options.includes("theme=dark") ? "dark" : "light",
});
await opened.waitForTimeout(500);
await opened.screenshot({path: picture});
if (opened.complaints.length) console.error(opened.complaints.join("\n"));
await browser.close();
