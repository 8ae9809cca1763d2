// A headless browser for the tests, drawing in software so that every machine draws the same.
import {existsSync} from "node:fs";
import {createRequire} from "node:module";
import {delimiter, join} from "node:path";

const require = createRequire(new URL("../../viewer/package.json", import.meta.url));
const {chromium} = require("playwright-core");

function findProgram(names) {
  for (const name of names.filter(Boolean)) {
    if (name.includes("/")) return name;
    for (const folder of process.env.PATH.split(delimiter)) if (existsSync(join(folder, name))) return join(folder, name);
  }
  throw new Error("no chromium");
}

export const launch = () => chromium.launch({
  executablePath: findProgram([process.env.HOOKE_BROWSER, "chromium", "chromium-browser", "google-chrome"]),
  args: ["--no-sandbox", "--disable-gpu-compositing", "--enable-unsafe-swiftshader"],
});

/** A page that is loaded; whatever it complains about is in `page.complaints`, what it asks others for in `page.requests`. */
export async function load(browser, address, options = {}) {
  const page = await browser.newPage({viewport: {width: 1200, height: 760}, colorScheme: "light", ...options});
  page.complaints = [];
  page.requests = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && !isAboutSoftware(message.text()) && page.complaints.push(message.text()));
  page.on("pageerror", (error) => page.complaints.push(String(error.stack)));
  page.on("request", (request) => page.requests.push(request.url()));
  page.on("dialog", (dialog) => page.complaints.push(`it asks: ${dialog.message()}`));
  await page.goto(address);
  return page;
}

/** The page of the viewer, ready. */
export async function open(browser, address, options = {}) {
  const page = await load(browser, address, options);
  await page.waitForFunction(() => window.hooke?.isReady, null, {timeout: 60000});
  return page;
}

/** What the browser says about drawing without a graphics card is not about the page. */
const isAboutSoftware = (text) => /GPU stall due to ReadPixels|GroupMarkerNotSet|software WebGL/.test(text);

/** After the next picture is drawn. */
export const drawn = (page) => page.evaluate(() => new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next))));

/** Keeps the picture of the animation in the page, to be compared with later. */
export const keepPicture = (page) => page.evaluate(() => {
  window.before = window.picture;
  const canvas = hooke.picture();
  window.picture = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
});

/** How many numbers of the kept picture differ from those of the one before. */
export const changes = (page) => page.evaluate(() => window.picture.data.filter((value, k) => Math.abs(value - window.before.data[k]) > 20).length);

/** The middle of all pixels of the kept picture, or of one, that have
 *  the hue of a colour, light or dark, in CSS pixels; null when there are none. */
export const find = (page, colour, one = null) => page.evaluate(([text, only]) => {
  const {width, data} = window.picture, scale = width / document.getElementById("canvas").clientWidth;
  const hue = (x, y, z) => Math.atan2(Math.sqrt(3) * (y - z), 2 * x - y - z);
  const wanted = hue(...[1, 3, 5].map((k) => parseInt(text.slice(k, k + 2), 16)));
  let count = 0, sumX = 0, sumY = 0;
  const look = (pixel) => {
    const [r, g, b, a] = data.subarray(4 * pixel, 4 * pixel + 4);
    if (a < 200 || Math.max(r, g, b) - Math.min(r, g, b) < 40) return;
    const off = Math.abs(hue(r, g, b) - wanted);
    if (Math.min(off, 2 * Math.PI - off) > .12) return;
    count++, sumX += pixel % width, sumY += Math.floor(pixel / width);
  };
  if (only) look(Math.round(only.y * scale) * width + Math.round(only.x * scale));
  else for (let pixel = 0; pixel < data.length / 4; pixel++) look(pixel);
  return count ? {count, x: (sumX / count + .5) / scale, y: (sumY / count + .5) / scale} : null;
}, [colour, one]);
