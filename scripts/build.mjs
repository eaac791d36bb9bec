/**
 * Sources -> dist/ with the licences of what it contains, action.yml, scenarios/schema.json, the scripts of the pages and the generated parts of README.md and docs/. With
 * --check nothing is written: the committed files are compared with what the sources build, and every difference is named.
 */
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { bundleForNode, REQUIRE } from "./bundle.mjs";
import { bundledPackages, licencesText, sbomText } from "./bundled-packages.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Scripts of pages, as modules that the pages' sources import: by file, the entry and the constant. */
const PAGE_SCRIPTS = [
  { file: "src/report/html/script.generated.ts", entry: "src/report/html/browser/main.ts", name: "PAGE_SCRIPT" },
  {
    file: "src/report/history/script.generated.ts",
    entry: "src/report/history/browser/main.ts",
    name: "HISTORY_SCRIPT",
  },
];

async function pageScript({ entry, name }) {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    metafile: true,
    bundle: true,
    write: false,
    format: "iife",
    platform: "browser",
    target: "es2022",
    minify: true,
    charset: "utf8",
    legalComments: "none",
    // Comparing is the same code in Node and in the page.
    alias: { "node:util": "./src/report/history/browser/node-util.ts" },
  });
  const script = outputFiles[0].text.trim();
  if (/<\/script|<!--/i.test(script)) throw new Error("the page's script would end its own element");
  const text = `/** Built from browser/main.ts by \`npm run build\`. */\nexport const ${name} = ${JSON.stringify(script)};\n`;
  return { text, metafile };
}

/**
 * @actions/artifact unpacks downloads with it. This project reads archives itself (src/github/archive.ts), and one of the
 * packages that unzip-stream needs, buffers 0.1.1, has no licence.
 */
const LEFT_OUT = "unzip-stream";

/** @param scripts of the pages, by file, not yet written @returns the files, and what they are made of */
async function bundle(scripts) {
  const result = await build({
    absWorkingDir: root,
    entryPoints: { cli: "src/cli.ts", action: "src/action.ts" },
    outdir: "dist",
    bundle: true,
    splitting: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    minifySyntax: true,
    minifyWhitespace: true,
    legalComments: "none",
    chunkNames: "[name]-[hash]",
    metafile: true,
    banner: { js: REQUIRE },
    plugins: [
      {
        name: "left-out",
        setup: ({ onResolve, onLoad }) => {
          onResolve({ filter: new RegExp(`^${LEFT_OUT}$`) }, () => ({ path: LEFT_OUT, namespace: "left-out" }));
          onLoad({ filter: /./, namespace: "left-out" }, () => ({
            contents: `export default { Extract() { throw new Error("dist/ does not contain ${LEFT_OUT}") } };`,
          }));
        },
      },
      {
        name: "page-script",
        setup: ({ onResolve, onLoad }) => {
          onResolve({ filter: /script\.generated\.js$/ }, ({ path, resolveDir }) => ({
            path: join(resolveDir, path.replace(/\.js$/, ".ts")),
          }));
          onLoad({ filter: /script\.generated\.ts$/ }, ({ path }) => ({
            contents: scripts.get(path.slice(root.length)),
            loader: "ts",
          }));
        },
      },
    ],
  });
  const files = result.outputFiles.map((file) => [file.path.slice(root.length), file.text]);
  const names = chunkNames(result.metafile.outputs);
  const renamed = (text) => text.replaceAll(/[\w-]+-[A-Z0-9]{8}\.js/g, (name) => names.get(name) ?? name);
  return {
    files: new Map(files.map(([path, text]) => [renamed(path), renamed(text)])),
    metafile: result.metafile,
  };
}

/**
 * esbuild names chunks by a hash, so that every change would rename files. Here a chunk is named after its entry, or
 * after the largest module in it: a reader of a diff sees what changed.
 * @returns {Map<string, string>} by esbuild's name
 */
function chunkNames(outputs) {
  const names = new Map();
  for (const [path, { entryPoint, inputs }] of Object.entries(outputs).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const file = path.replace(/^dist\//, "");
    if (!/-[A-Z0-9]{8}\.js$/.test(file)) continue;
    const named = entryPoint ?? largest(inputs);
    const name =
      named === undefined ? "esbuild-runtime" : moduleName(named) + (entryPoint === undefined ? ".shared" : "");
    names.set(file, unused(name, new Set(names.values())));
  }
  return names;
}

function largest(inputs) {
  return Object.entries(inputs).sort(
    ([a, { bytesInOutput: x }], [b, { bytesInOutput: y }]) => y - x || (a < b ? -1 : 1),
  )[0]?.[0];
}

/** `src/report/text/escape.ts` -> `report-text-escape`; `node_modules/yaml/dist/index.js` -> `yaml` */
function moduleName(path) {
  const dependency = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1];
  return (dependency ?? path.replace(/^src\//, "").replace(/\.ts$/, "")).replace(/^@/, "").replaceAll("/", "-");
}

function unused(name, taken) {
  for (let count = 1; ; count += 1) {
    const file = `${name}${count === 1 ? "" : `.${count}`}.js`;
    if (!taken.has(file)) return file;
  }
}

function text(file) {
  return readFile(join(root, file), "utf8");
}

/** Generated from other files: the editors' schema, action.yml, the built-in scenarios checked ahead of time, the generated parts of the pages. */
async function derived() {
  const temp = await mkdtemp(join(tmpdir(), "server-bench-build-"));
  try {
    const outfile = join(temp, "derived.mjs");
    await bundleForNode({ entryPoints: ["scripts/derived.ts"] }, outfile);
    const { scenarioSchema, compileFile, updatePage, partsOf, actionFile } = await import(pathToFileURL(outfile).href);
    const compiled = {};
    const sets = [];
    let servers = {};
    for (const file of (await readdir(join(root, "scenarios"))).filter((name) => name.endsWith(".yml")).sort()) {
      const content = await text(join("scenarios", file));
      const known = compileFile(content, file === "servers.yml");
      compiled[createHash("sha256").update(content).digest("hex")] = known;
      if (file === "servers.yml") servers = known.value.servers;
      else sets.push({ ...known.value, name: file.replace(/\.yml$/, "") });
    }
    return {
      schema: `${JSON.stringify(scenarioSchema(), null, 2)}\n`,
      action: actionFile(),
      compiled: `${JSON.stringify(compiled)}\n`,
      pages: await updatedPages(updatePage, partsOf(await generatedFrom(sets, servers))),
    };
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}

async function generatedFrom(sets, servers) {
  return {
    workflow: await text("examples/server-repository.yml"),
    sets,
    servers,
  };
}

/** Pages with a generated part; by path. */
async function updatedPages(updatePage, parts) {
  const docs = (await readdir(join(root, "docs"))).filter((name) => name.endsWith(".md")).map((name) => `docs/${name}`);
  const pages = new Map();
  for (const file of ["README.md", ...docs]) {
    const present = await text(file);
    if (present.includes(": generated by npm run build -->")) pages.set(file, updatePage(file, present, parts));
  }
  return pages;
}

async function committed() {
  const names = await readdir(join(root, "dist")).catch(() => []);
  return names.map((name) => `dist/${name}`);
}

/** Licences and bill of materials of everything in dist/. */
async function materials(metafiles) {
  const packages = await bundledPackages(root, metafiles);
  return { licences: licencesText(packages), sbom: sbomText(packages, JSON.parse(await text("package.json"))) };
}

const scripts = new Map();
const metafiles = [];
for (const page of PAGE_SCRIPTS) {
  const { text, metafile } = await pageScript(page);
  scripts.set(page.file, text);
  metafiles.push(metafile);
}
const { files, metafile } = await bundle(scripts);
const { licences, sbom } = await materials([...metafiles, metafile]);
files.set("dist/licenses.txt", licences);
files.set("dist/sbom.cdx.json", sbom);
for (const [file, text] of scripts) files.set(file, text);
const { schema, action, compiled, pages } = await derived();
files.set("scenarios/schema.json", schema);
files.set("action.yml", action);
files.set("dist/scenarios.json", compiled);
for (const [file, page] of pages) files.set(file, page);
const stale = (await committed()).filter((file) => !files.has(file));

if (process.argv.includes("--check")) {
  const differing = [];
  for (const [file, text] of files) {
    const present = await readFile(join(root, file), "utf8").catch(() => undefined);
    if (present !== text) differing.push(present === undefined ? `${file} is missing` : `${file} differs`);
  }
  differing.push(...stale.map((file) => `${file} is not built from the sources`));
  for (const line of differing) console.error(`not what the sources build: ${line}`);
  if (differing.length > 0) {
    console.error("run `npm run build` and commit the result");
    process.exitCode = 1;
  }
} else {
  await mkdir(join(root, "dist"), { recursive: true });
  for (const file of stale) await rm(join(root, file));
  for (const [file, text] of files) await writeFile(join(root, file), text);
}
