/** A recording -> OUT.md and OUT.json. It makes no load, and gives the same result for the same seed. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, relative, resolve } from "node:path";
import { InputError, messageLine } from "../src/errors.js";
import { compareWithBenchstat } from "./benchstat.js";
import { readMeasuredCommits } from "./commits/measured-commit.js";
import { readLiveRuns } from "./live/runs.js";
import type { ReportOptions } from "./options.js";
import { type Earlier, parseEarlier } from "./page/earlier.js";
import type { Facts } from "./page/facts.js";
import { evaluationMarkdown } from "./page/page.js";
import { readRecording } from "./recording/file.js";
import { joinedRecording } from "./recording/joined.js";
import { drawnReports } from "./resample/evaluate.js";
import { buildNoise, measuredRows } from "./resample/measured.js";
import { evaluateInParallel } from "./resample/parallel.js";

/** Reports that the real benchstat gets. */
const BENCHSTAT_REPORTS = 20;

/** Gives the bundled module of `resample/worker.ts`, which is there as long as `use` runs. */
export type WithWorker = <T>(use: (module: string) => Promise<T>) => Promise<T>;

export async function writeReport(options: ReportOptions, withWorker: WithWorker): Promise<void> {
  const { files, live, commits, earlier, reports, seed, out } = options;
  const named = files.map(async (file) => ({ file, recording: await readRecording(file) }));
  const recording = joinedRecording(await Promise.all(named));
  const runs = (await Promise.all(live.map(readLiveRuns))).flat();
  const before = earlier === undefined ? [] : await readEarlier(earlier);
  const { environment, recordedAt, notes } = recording;
  const facts: Facts = {
    command: reportCommand(options),
    recording: { environment, recordedAt, notes },
    reports,
    seed,
    measured: measuredRows(recording),
    builds: buildNoise(recording),
    cells: await withWorker((module) => evaluateInParallel(recording, { reports, seed }, module)),
    live: runs,
    commits: (await Promise.all(commits.map(readMeasuredCommits))).flat(),
    benchstat: await compareWithBenchstat(drawnReports(recording, BENCHSTAT_REPORTS, seed)),
    earlier: before,
  };
  await mkdir(dirname(out), { recursive: true });
  await writeFile(`${out}.md`, evaluationMarkdown(facts));
  await writeFile(`${out}.json`, `${JSON.stringify(facts, null, 2)}\n`);
}

/** The command line that makes the same page again; files are named from the project's folder on. */
export function reportCommand({ root, files, live, commits, earlier, reports, seed, out }: ReportOptions): string {
  const named = (path: string) => {
    const from = relative(root, resolve(path));
    return from.startsWith("..") ? basename(path) : from;
  };
  const words = [
    ...files.map(named),
    ...live.map((file) => `--live ${named(file)}`),
    ...commits.map((file) => `--commits ${named(file)}`),
    ...(earlier === undefined ? [] : [`--earlier ${named(earlier)}`]),
    `--reports ${reports} --seed ${seed} --out ${named(out)}`,
  ];
  return `npm run evaluate -- report ${words.join(" ")}`;
}

/** Of the first form, or of this one, which keeps those before it. */
async function readEarlier(file: string): Promise<readonly Earlier[]> {
  const value: unknown = await readFile(file, "utf8")
    .then(JSON.parse)
    .catch((error) => {
      throw new InputError(`${file}: ${messageLine(error)}`);
    });
  const kept = typeof value === "object" && value !== null && "earlier" in value ? value.earlier : undefined;
  return Array.isArray(kept) ? kept.map((one) => parseEarlier(one, file)) : [parseEarlier(value, file)];
}
