/**
 * The part of `report` that turns an artifact into text, as a process of its own, so that its CPU time and memory can be
 * measured. Prints a line `{ outcome, cpuSec, peakMiB }` for each. Usage: node render-artifact.mjs FILE...
 */
import { readFile } from "node:fs/promises";
import { InputError } from "../../src/errors.js";
import { mergeResults } from "../../src/merge/merge.js";
import { missingShards, withMissing } from "../../src/merge/missing-shards.js";
import { chartsOf } from "../../src/report/charts/charts.js";
import { annotationsOf } from "../../src/report/comment/annotations.js";
import { renderComment } from "../../src/report/comment/comment.js";
import { renderReport } from "../../src/report/markdown/report.js";
import { parseResults, RESULTS, readText } from "../../src/results/read.js";
import { writeResults } from "../../src/results/write.js";

/** What the child found: the CPU time of this artifact, the peak of all so far. */
export interface Rendered {
  readonly outcome: Awaited<ReturnType<typeof render>>;
  readonly cpuSec: number;
  readonly peakMiB: number;
}

const WHERE = {
  repository: "octo/server",
  serverUrl: "https://github.example",
  runUrl: "https://github.example/run/1",
};

async function render(file: string) {
  try {
    const own = parseResults(await readText(file, RESULTS), "results.json");
    const results = withMissing(mergeResults([{ source: "results.json", results: own }]), missingShards([own]));
    for (const { name } of chartsOf(results))
      if (Buffer.byteLength(name) > 255) throw new Error(`the file name is too long: ${name}`);
    const report = renderReport(results, { charts: true });
    const trust = { kind: "pull-request-run", head: "claimed", base: "claimed" } as const;
    const comment = renderComment({ results, where: WHERE, trust });
    annotationsOf(results, { gate: true });
    await writeResults(`${file}.merged`, results);
    const sizes = { commentBytes: Buffer.byteLength(comment), reportBytes: Buffer.byteLength(report) };
    return { state: "rendered", ...sizes } as const;
  } catch (error) {
    if (error instanceof InputError) return { state: "refused", message: error.message } as const;
    throw error;
  }
}

let before = 0;
for (const file of process.argv.slice(2)) {
  const outcome = await render(file);
  const { user, system } = process.cpuUsage();
  // The kernel counts the peak; `maxRSS` of a child starts with that of the process which it was forked from.
  const peakKiB = Number(/VmHWM:\s+(\d+)/.exec(await readFile("/proc/self/status", "utf8"))?.[1]);
  const rendered: Rendered = { outcome, cpuSec: (user + system - before) / 1e6, peakMiB: peakKiB / 1024 };
  before = user + system;
  process.stdout.write(`${JSON.stringify(rendered)}\n`);
}
