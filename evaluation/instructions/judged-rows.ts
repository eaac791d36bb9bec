/** One run's rows: judged, or not counted with the reason. None is left out. */
import { instructionRounds } from "../../src/compare/witnesses/instructions.js";
import { problemOf } from "../../src/compare/witnesses/problems.js";
import type { ComparedRow, Comparison } from "../../src/results/comparison.js";
import { isTimedFirst, type PlantedApp, plantedApps, plantsFor } from "./apps.js";
import type { JudgedRow, UncountedRow } from "./judged-row.js";

export interface RunRows {
  readonly rows: readonly JudgedRow[];
  readonly notCounted: readonly UncountedRow[];
}

type Compared = Pick<Comparison, "rows" | "apart"> | undefined;

/** @param detect per cent: the run looked for such changes, by time too, so the verdict is the row's; undefined: it only counted */
export function judgedRows(run: number, comparison: Compared, detect?: number): RunRows {
  const rows: JudgedRow[] = [];
  const notCounted: UncountedRow[] = [];
  for (const { title, server, plant } of plantedApps(plantsFor(detect))) {
    const row = comparison?.rows.find((one) => one.title === title);
    const judged = row && judgedRow(row, { title, server, plant }, run, detect);
    if (judged) rows.push(judged);
    else notCounted.push({ run, server, plant, reason: reasonOf(title, row, comparison) });
  }
  return { rows, notCounted };
}

function judgedRow(
  { metrics, instructions, seconds, verdict: ofRow }: ComparedRow,
  { server, plant }: PlantedApp,
  run: number,
  detect: number | undefined,
): JudgedRow | undefined {
  const row = { run, server, plant, seconds };
  const counted = metrics.instructions;
  if (isTimedFirst(detect)) {
    const { change } = metrics.cpuPerRequest ?? {};
    return change === undefined ? undefined : { ...row, verdict: ofRow, change, rounds: counted?.pairs ?? 0, logs: [] };
  }
  if (!counted || instructions?.state !== "measured") return undefined;
  const logs = instructionRounds(instructions.rounds).map(({ logRatio, variance }) => ({
    log: logRatio,
    sd: Math.sqrt(variance),
  }));
  const { change, pairs: rounds } = counted;
  return { ...row, verdict: detect === undefined ? counted.verdict : ofRow, change, rounds, logs };
}

function reasonOf(title: string, row: ComparedRow | undefined, comparison: Compared): string {
  const problem = problemOf(row?.instructions);
  if (problem) return problem.reason;
  if (row) return "too few rounds for a verdict";
  const uncompared = comparison?.apart?.find((one) => one.title === title);
  if (uncompared) return uncompared.reason ?? uncompared.kind;
  return "the run has no such row";
}
