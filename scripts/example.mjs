/**
 * docs/example/results.json, which a real run wrote -> the page, the plot for a README, and with Chromium the pictures of the
 * README: the pull request's comment and the page, for light and dark. Machine paths in the results are shortened.
 *   node scripts/example.mjs                    writes them
 *   node scripts/example.mjs --check [FOLDER]   whether they are what results.json makes; needs no Chromium
 * Pixels depend on the machine's fonts, so a picture names the text that it shows by its SHA-256.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { textOf, withText } from "./png-text.mjs";

const [mode, given] = process.argv.slice(2);
const root = fileURLToPath(new URL("..", import.meta.url));
const folder = given ?? join(root, "docs/example");
const temp = mkdtempSync(join(tmpdir(), "server-bench-example-"));
const CHROMIUM = "/usr/bin/chromium";
/** Keyword of the text in a picture. */
const SOURCE = "Source-SHA256";

const RENDER = `
export { forestFiles } from "./src/report/charts/forest-files.ts";
export { renderComment } from "./src/report/comment/comment.ts";
export { renderPage } from "./src/report/html/page.ts";
export { readResults } from "./src/results/read.ts";
export { renderGfm } from "./__tests__/support/gfm.ts";
`;

/** As GitHub shows a comment, about. */
const GITHUB = {
  light: { ground: "#fff", text: "#1f2328", line: "#d1d9e0", soft: "#f6f8fa", muted: "#59636e", link: "#0969da" },
  dark: { ground: "#0d1117", text: "#f0f6fc", line: "#3d444d", soft: "#151b23", muted: "#9198a1", link: "#4493f8" },
};

function commentPage(html, { ground, text, line, soft, muted, link }) {
  const style = `body{margin:0;padding:16px;background:${ground};color:${text};font:14px/1.5 -apple-system,"Segoe UI","Noto Sans",Helvetica,Arial,sans-serif}
.comment{border:1px solid ${line};border-radius:6px;padding:16px;max-width:860px}.comment>:first-child{margin-top:0}.comment>:last-child{margin-bottom:0}
h3{font-size:1.25em;margin:24px 0 16px}a{color:${link}}code{background:${soft};padding:.2em .4em;border-radius:6px;font:85% ui-monospace,"DejaVu Sans Mono",monospace}
table{border-collapse:collapse;margin-bottom:16px}th,td{border:1px solid ${line};padding:6px 13px}tr:nth-child(2n) td{background:${soft}}summary{cursor:pointer}details{margin:4px 0}.muted{color:${muted}}`;
  return `<!doctype html><meta charset="utf-8"><style>${style}</style><div class="comment">${html}</div>`;
}

/** The page is cut: its beginning shows what it is. */
const SHOTS = {
  comment: { width: 900, height: 760, element: ".comment" },
  page: { width: 1200, height: 1000 },
};

/** Name -> what the browser shows for it. */
function picturesOf(page, comment) {
  return Object.keys(GITHUB).flatMap((colorScheme) => [
    {
      name: `comment-${colorScheme}.png`,
      colorScheme,
      html: commentPage(comment, GITHUB[colorScheme]),
      shot: SHOTS.comment,
    },
    { name: `page-${colorScheme}.png`, colorScheme, html: page, shot: SHOTS.page },
  ]);
}

function sourceOf({ colorScheme, html, shot }) {
  return createHash("sha256")
    .update(JSON.stringify([colorScheme, html, shot]))
    .digest("hex");
}

async function draw(pictures) {
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ["--no-sandbox"] });
  try {
    for (const picture of pictures) {
      const { name, colorScheme, html, shot } = picture;
      const { element, ...viewport } = shot;
      const context = await browser.newContext({ colorScheme, viewport });
      const tab = await context.newPage();
      await tab.setContent(html);
      const png = await (element === undefined ? tab : tab.locator(element)).screenshot();
      await writeFile(join(folder, name), withText(png, SOURCE, sourceOf(picture)));
      await context.close();
    }
  } finally {
    await browser.close();
  }
}

async function check(texts, pictures) {
  const stale = [];
  for (const [name, text] of texts) if ((await readFile(join(folder, name), "utf8")) !== text) stale.push(name);
  for (const picture of pictures) {
    const png = await readFile(join(folder, picture.name));
    if (textOf(png, SOURCE) !== sourceOf(picture)) stale.push(picture.name);
  }
  if (stale.length === 0) return;
  console.error(`not what results.json makes: ${stale.join(", ")}; \`node scripts/example.mjs\` writes them`);
  process.exitCode = 1;
}

async function write(texts, pictures) {
  for (const [name, text] of texts) await writeFile(join(folder, name), text);
  if (existsSync(CHROMIUM)) await draw(pictures);
  else console.log(`no ${CHROMIUM}: the pictures stay as they are`);
  for (const name of ["index.html", "results.json"])
    console.log(`${name}: ${(await readFile(join(folder, name))).length} bytes`);
}

try {
  const outfile = join(temp, "render.mjs");
  const banner = { js: 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);' };
  await build({
    absWorkingDir: root,
    stdin: { contents: RENDER, resolveDir: root, loader: "ts" },
    outfile,
    banner,
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "warning",
  });
  const { forestFiles, readResults, renderComment, renderGfm, renderPage } = await import(pathToFileURL(outfile).href);
  const results = await readResults(join(folder, "results.json"));
  const where = {
    repository: "example/uvicorn",
    serverUrl: "https://github.com",
    runUrl: "https://github.com/example/uvicorn/actions/runs/1",
  };
  const page = renderPage(results);
  const comment = renderGfm(renderComment({ results, trust: { kind: "own" }, where }));
  const texts = new Map([["index.html", page], ...forestFiles(results).map(({ name, svg }) => [name, svg])]);
  await (mode === "--check" ? check : write)(texts, picturesOf(page, comment));
} finally {
  rmSync(temp, { recursive: true, force: true });
}
