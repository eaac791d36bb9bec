/** Stored results to compare with: read and checked before anything is started. */
import { resolve } from "node:path";
import { compareStored, type StoredOptions } from "../../compare/stored.js";
import { InputError } from "../../errors.js";
import { unknownName } from "../../plan/nearest.js";
import { namesRow, splitSelectors } from "../../plan/select.js";
import type { PlannedRow } from "../../plan/types.js";
import type { Comparison } from "../../results/comparison.js";
import { readResults } from "../../results/read.js";
import type { Results } from "../../results/schema.js";
import type { RunOptions } from "./run.js";

export interface Baseline extends StoredOptions {
  readonly files: readonly string[];
  readonly facts?: Readonly<Record<string, string>>;
}

type Compare = (head: Results) => Comparison;

/** @throws InputError for a file that cannot be read or is no results file. */
export async function readBaseline({ files, facts, ...options }: Baseline, cwd: string): Promise<Compare> {
  const base: { source: string; results: Results }[] = [];
  for (const source of files) base.push({ source, results: await readResults(resolve(cwd, source)) });
  return (head) => {
    const comparison = compareStored(base, head, options);
    return facts ? { ...comparison, base: { ...comparison.base, ...facts } } : comparison;
  };
}

/** @throws InputError for a server that was not measured. */
export function checkServers(option: string, asked: readonly string[], known: readonly string[]): void {
  const wrong = asked.find((name) => !known.includes(name));
  if (wrong !== undefined)
    throw new InputError(`${option} ${wrong}: ${unknownName("server", wrong, [...new Set(known)])}`);
}

/**
 * What a run is compared with when it is done; undefined without a base. The servers given with --server are the ones
 * under test.
 * @throws InputError for a file that cannot be read
 */
export async function readRunBaseline(options: RunOptions, cwd: string): Promise<Compare | undefined> {
  const { files = [], anchors = [], facts } = options.baseline ?? {};
  if (files.length === 0) return undefined;
  const selectors = splitSelectors(options.selectors);
  return readBaseline(
    {
      ...{ files, anchors, command: options.command, ...(facts && { facts }) },
      tested: options.servers.map((spec) => spec.split("=")[0] ?? spec),
      inScope: (id) => namesRow(selectors, id),
    },
    cwd,
  );
}

/** @throws InputError for an anchor that the run does not measure. */
export function checkAnchors({ baseline }: RunOptions, rows: readonly PlannedRow[]): void {
  checkServers(
    "--anchor",
    baseline?.anchors ?? [],
    rows.map((row) => row.server.name),
  );
}
