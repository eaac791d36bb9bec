/** One run's rows: judged, or not counted with the reason. None is left out. */
import { instructionRounds } from "../../src/compare/witnesses/instructions.js";
import { problemOf } from "../../src/compare/witnesses/problems.js";
import type { ComparedRow, Comparison } from "../../src/results/comparison.js";
import { PLANTED_APPS, type PlantedApp } from "./apps.js";
import type { JudgedRow, UncountedRow } from "./judged-row.js";

export interface RunRows {
  readonly rows: readonly JudgedRow[];
  readonly notCounted: readonly UncountedRow[];
}

type Compared = Pick<Comparison, "rows" | "apart"> | undefined;

export function judgedRows(run: number, comparison: Compared): RunRows {
  const rows: JudgedRow[] = [];
  const notCounted: UncountedRow[] = [];
  for (const { title, server, plant } of PLANTED_APPS) {
    const row = comparison?.rows.find((one) => one.title === title);
    const judged = row && judgedRow(row, { title, server, plant }, run);
    if (judged) rows.push(judged);
    else notCounted.push({ run, server, plant, reason: reasonOf(title, row, comparison) });
  }
  return { rows, notCounted };
}

function judgedRow(
  { metrics, instructions, seconds }: ComparedRow,
  { server, plant }: PlantedApp,
  run: number,
): JudgedRow | undefined {
  const counted = metrics.instructions;
  if (!counted || instructions?.state !== "measured") return undefined;
  const logs = instructionRounds(instructions.rounds).map(({ logRatio, variance }) => ({
    log: logRatio,
    sd: Math.sqrt(variance),
  }));
  const { verdict, change, pairs: rounds } = counted;
  return { run, server, plant, verdict, change, rounds, seconds, logs };
}

function reasonOf(title: string, row: ComparedRow | undefined, comparison: Compared): string {
  const problem = problemOf(row?.instructions);
  if (problem) return problem.reason;
  if (row) return "too few rounds for a verdict";
  const uncompared = comparison?.apart?.find((one) => one.title === title);
  if (uncompared) return uncompared.reason ?? uncompared.kind;
  return "the run has no such row";
}
