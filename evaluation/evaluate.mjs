/**
 * Evaluates the decision: records pairs of real servers, then draws reports of whole pairs from the recording.
 *   node evaluation/evaluate.mjs record FILE.json [--pairs 40] [--servers granian,uvicorn] [--sizes 0,2,3,5,10]
 *     on a quiet machine; 4.5 s a pair: 40 pairs x 2 servers x 5 sizes take half an hour. The file is valid at any time.
 *   node evaluation/evaluate.mjs live FILE.json [--runs 3] [--rows 20] [--servers granian,uvicorn]
 *     whole runs between identical sides, about 8 minutes each.
 *   node evaluation/evaluate.mjs report FILE.json [--live FILE.json] [--reports 200] [--seed 1] [--out docs/evaluation]
 *     writes OUT.md and OUT.json; makes no load, and gives the same result for the same seed.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));
const REQUIRE =
  'import{createRequire as __benchRequire}from"node:module";const require=__benchRequire(import.meta.url);';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    pairs: { type: "string", default: "40" },
    servers: { type: "string", default: "granian,uvicorn" },
    sizes: { type: "string", default: "0,2,3,5,10" },
    runs: { type: "string", default: "3" },
    rows: { type: "string", default: "20" },
    live: { type: "string" },
    reports: { type: "string", default: "200" },
    seed: { type: "string", default: "1" },
    out: { type: "string", default: join(root, "docs/evaluation") },
  },
});
const [command, file] = positionals;
if (file === undefined || !["record", "live", "report"].includes(command)) {
  console.error("usage: node evaluation/evaluate.mjs record|live|report FILE.json [options]");
  process.exit(2);
}

/** Bundles a module of this repository with its imports, and loads it. */
async function load(entry) {
  const temp = await mkdtemp(join(tmpdir(), "server-bench-evaluate-"));
  const outfile = join(temp, "entry.mjs");
  const options = {
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    banner: { js: REQUIRE },
    logLevel: "warning",
  };
  await build({ absWorkingDir: root, entryPoints: [entry], outfile, ...options });
  const loaded = await import(pathToFileURL(outfile).href);
  await rm(temp, { recursive: true, force: true });
  return loaded;
}

if (command === "record") {
  const { record } = await load("evaluation/record.ts");
  await record({
    root,
    servers: values.servers.split(","),
    sizes: values.sizes.split(",").map(Number),
    pairs: Number(values.pairs),
    out: file,
    say: (line) => console.log(line),
  });
} else if (command === "live") {
  const { live } = await load("evaluation/live.ts");
  await live({
    root,
    servers: values.servers.split(","),
    rows: Number(values.rows),
    runs: Number(values.runs),
    out: file,
    say: (line) => console.log(line),
  });
} else {
  const [{ resample, drawnReports }, { compareWithBenchstat }, { evaluationMarkdown }] = await Promise.all([
    load("evaluation/resample.ts"),
    load("evaluation/benchstat.ts"),
    load("evaluation/report.ts"),
  ]);
  const read = async (path) => JSON.parse(await readFile(path, "utf8"));
  const recording = await read(file);
  const [reports, seed] = [Number(values.reports), Number(values.seed)];
  const live = values.live === undefined ? [] : await read(values.live);
  const evaluation = resample(recording, reports, seed);
  const benchstat = await compareWithBenchstat(drawnReports(recording, 20, seed));
  const facts = { recording, reports, seed, live, benchstat };
  await mkdir(dirname(values.out), { recursive: true });
  await writeFile(`${values.out}.md`, evaluationMarkdown(evaluation, facts));
  const { environment, recordedAt } = recording;
  const summary = { environment, recordedAt, reports, seed, ...evaluation, live, benchstat };
  await writeFile(`${values.out}.json`, `${JSON.stringify(summary, null, 2)}\n`);
  console.log(`${values.out}.md`);
}
