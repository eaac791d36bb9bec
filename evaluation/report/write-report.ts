/** Recordings -> OUT.md and OUT.json. It makes no load, and gives the same result for the same seed. */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, dirname, relative } from "node:path";
import * as v from "valibot";
import { groupBy } from "../../src/group-by.js";
import type { ReportOptions } from "../options.js";
import { readRecording } from "../recording/file.js";
import { joinedRecording } from "../recording/joined.js";
import { pairNoise } from "../resample/measured.js";
import { evaluateInParallel } from "../resample/parallel.js";
import { mean } from "../resample/share.js";
import type { Facts, WholeRuns } from "./facts.js";
import { headlines } from "./headlines.js";
import { reportMarkdown } from "./markdown.js";

/** Gives the bundled module of `resample/worker.ts`, which is there as long as `use` runs. */
export type WithWorker = <T>(use: (module: string) => Promise<T>) => Promise<T>;

export async function writeReport(options: ReportOptions, withWorker: WithWorker): Promise<void> {
  const { files, whole, reports, seed, out } = options;
  const named = files.map(async (file) => ({ file, recording: await readRecording(file) }));
  const recording = joinedRecording(await Promise.all(named));
  const { environment, recordedAt, rows } = recording;
  const cells = await withWorker((module) => evaluateInParallel(recording, { reports, seed }, module));
  const facts: Facts = {
    command: reportCommand(options),
    recording: { environment, recordedAt },
    pairs: rows.flatMap(({ pairs }) => pairs).length,
    ...{ reports, seed },
    headlines: headlines(cells),
    noise: pairNoise(recording),
    cells,
    wholeRuns: whole === undefined ? undefined : wholeRunsOf(await readFile(whole, "utf8")),
  };
  await mkdir(dirname(out), { recursive: true });
  await writeFile(`${out}.md`, reportMarkdown(facts));
  await writeFile(`${out}.json`, jsonOf(facts));
}

/** A line for each cell: a difference shows which one changed. */
function jsonOf({ cells, ...rest }: Facts): string {
  const lines = cells.map((cell) => JSON.stringify(cell));
  return `${JSON.stringify(rest, null, 2).slice(0, -2)},\n  "cells": [\n${lines.join(",\n")}\n  ]\n}\n`;
}

/** The command line that writes the same report; files are named from the project's folder on. */
export function reportCommand({ root, files, whole, reports, seed, out }: ReportOptions): string {
  const named = (path: string) => {
    const from = relative(root, path);
    return from.startsWith("..") ? basename(path) : from;
  };
  const words = [
    ...files.map(named),
    ...(whole === undefined ? [] : [`--whole ${named(whole)}`]),
    `--reports ${reports} --seed ${seed} --out ${named(out)}`,
  ];
  return `npm run evaluate -- report ${words.join(" ")}`;
}

const comparedRow = v.object({ verdict: v.string(), seconds: v.number() });

/** @param text a row of JSON in each line */
export function wholeRunsOf(text: string): WholeRuns {
  const rows = text
    .trim()
    .split("\n")
    .map((line) => v.parse(comparedRow, JSON.parse(line)));
  const groups = [...groupBy(rows, ({ verdict }) => verdict)];
  const seconds = rows.map((row) => row.seconds);
  return {
    rows: rows.length,
    verdicts: Object.fromEntries(groups.map(([verdict, some]) => [verdict, some.length])),
    seconds: mean(seconds),
    longestSec: Math.max(...seconds),
  };
}
