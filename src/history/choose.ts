/** Which of the given runs a history has, and in which order. What is left out is listed with its reason. */

import { compareTags } from "../release/tags.js";
import type { RunRecord } from "./record.js";

export interface LeftOut {
  readonly source: string;
  readonly reason: string;
}

/** Releases are ordered by version if every run is one of the same name: an old release may be measured late. */
export type RunOrder = "time" | "version";

interface Chosen {
  /** In order. */
  readonly runs: readonly RunRecord[];
  readonly order: RunOrder;
  readonly leftOut: readonly LeftOut[];
}

export function chooseRuns(given: readonly RunRecord[]): Chosen {
  const runs: RunRecord[] = [];
  const leftOut: LeftOut[] = [];
  for (const run of given) {
    const reason = whyNot(run, runs);
    if (reason === undefined) runs.push(run);
    else leftOut.push({ source: run.source, reason });
  }
  // Versions of several names have no common order.
  const names = new Set(runs.map(({ version }) => version?.prefix));
  const order = names.size === 1 && !names.has(undefined) ? "version" : "time";
  return { runs: sorted(runs, order), order, leftOut };
}

function whyNot(run: RunRecord, chosen: readonly RunRecord[]): string | undefined {
  const same = chosen.find(({ id }) => id === run.id);
  if (same) return `the same run as ${same.source}`;
  if (run.parts > 1) return "merged from runs of different machines";
  if (run.shard !== undefined) return `shard ${run.shard} of a run: merge its shards with report first`;
  if (run.untimed) return "only instructions or memory were measured, which a history does not show";
  if (run.cases.length === 0) return "it has no benchmarks";
  return undefined;
}

function sorted(runs: readonly RunRecord[], order: RunOrder): RunRecord[] {
  const byTime = (a: RunRecord, b: RunRecord) => Date.parse(a.startedAt) - Date.parse(b.startedAt);
  if (order === "time") return [...runs].sort(byTime);
  return [...runs].sort((a, b) => (a.version && b.version ? compareTags(a.version, b.version) : 0) || byTime(a, b));
}
