/** One run's rows: judged, or not counted with the reason. None is left out. */
import { instructionRounds } from "../../src/compare/witnesses/instructions.js";
import { problemOf } from "../../src/compare/witnesses/problems.js";
import type { ComparedRow, Comparison } from "../../src/results/comparison.js";
import { FINE_PLANTS, PLANTS, type PlantedApp, plantedApps } from "./apps.js";
import type { JudgedRow, UncountedRow } from "./judged-row.js";

export interface RunRows {
  readonly rows: readonly JudgedRow[];
  readonly notCounted: readonly UncountedRow[];
}

type Compared = Pick<Comparison, "rows" | "apart"> | undefined;

/** @param isFine the run looked for changes of 1 %, by time too: the verdict is the row's */
export function judgedRows(run: number, comparison: Compared, isFine = false): RunRows {
  const rows: JudgedRow[] = [];
  const notCounted: UncountedRow[] = [];
  for (const { title, server, plant } of plantedApps(isFine ? FINE_PLANTS : PLANTS)) {
    const row = comparison?.rows.find((one) => one.title === title);
    const judged = row && judgedRow(row, { title, server, plant }, run, isFine);
    if (judged) rows.push(judged);
    else notCounted.push({ run, server, plant, reason: reasonOf(title, row, comparison) });
  }
  return { rows, notCounted };
}

function judgedRow(
  { metrics, instructions, seconds, verdict: ofRow }: ComparedRow,
  { server, plant }: PlantedApp,
  run: number,
  isFine: boolean,
): JudgedRow | undefined {
  const counted = metrics.instructions;
  if (!counted || instructions?.state !== "measured") return undefined;
  const logs = instructionRounds(instructions.rounds).map(({ logRatio, variance }) => ({
    log: logRatio,
    sd: Math.sqrt(variance),
  }));
  const { change, pairs: rounds } = counted;
  const verdict = isFine ? ofRow : counted.verdict;
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
