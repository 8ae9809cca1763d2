// Bundles src/ into one page, page.html, which the program embeds; the C++ build needs no npm.
//
//   npm run build      writes page.html
//   npm run check      fails when page.html is not what src/ gives
//
// The page's policy lets the browser run this one script and use this one style, known by their hashes: whatever text
// of a results file came to stand in the page, it would not run.
import {createHash} from "node:crypto";
import {readFileSync, writeFileSync} from "node:fs";
import {build} from "esbuild";

const here = (name) => new URL(name, import.meta.url);
const bundle = async (entry) => {
  const result = await build({
    entryPoints: [here(entry).pathname],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    legalComments: "inline", // the licences of what is bundled
    charset: "utf8",
  });
  return result.outputFiles[0].text.trim();
};

const script = (await bundle("src/main.js")).replaceAll("</script", "<\\/script");
const style = await bundle("src/style.css");
const hash = (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`;
const page = readFileSync(here("src/page.html"), "utf8")
  .replace("script-hash", hash(script))
  .replace("style-hash", hash(style))
  .replace("/* style */", () => style)
  .replace("/* script */", () => script);

if (!process.argv.includes("--check")) {
  writeFileSync(here("page.html"), page);
  console.log(`page.html: ${Math.round(page.length / 1024)} kB`);
} else if (page !== readFileSync(here("page.html"), "utf8")) {
  console.error("viewer/page.html is not what viewer/src gives; run 'make viewer' and commit it");
  process.exit(1);
}
