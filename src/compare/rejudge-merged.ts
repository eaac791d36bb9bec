/** Judges the rows of several shards again, as rows of one report: with one false discovery rate and one common noise. */
import { type AskedMetrics, USUAL_METRICS } from "../plan/asked-metrics.js";
import type { ComparedRow } from "../results/comparison.js";
import { isUnconfirmedNote } from "./contradiction.js";
import { judgePaired, TOO_FEW_PAIRS } from "./paired.js";
import { type Precision, USUAL_PRECISION } from "./precision.js";

export interface RecordedRow {
  readonly row: ComparedRow;
  /** The load generator was the limit on one side. */
  readonly clientBound: boolean;
}

/**
 * The same rows with the verdicts that one run over all these pairs would have given. Notes, seconds and pairs stay; a row
 * without recorded pairs stays as it is.
 * @param rows of finished runs: no row gets another pair
 */
export function rejudgeMerged(
  rows: readonly RecordedRow[],
  precision: Precision = USUAL_PRECISION,
  asked: AskedMetrics = USUAL_METRICS,
): ComparedRow[] {
  const recorded = rows.flatMap(({ row, clientBound }) =>
    row.recorded ? [{ row, pairs: row.recorded, clientBound }] : [],
  );
  // The last digit of a sum depends on its order: sorted, the same rows get the same verdicts however they were merged.
  recorded.sort((a, b) => compareKeys(a.row, b.row));
  const judged = judgePaired(
    recorded.map(
      ({ row: { id, connections = 1, title = id, expectedNoise, instructions, memory }, pairs, clientBound }) => ({
        ...((instructions ?? memory) && {
          witnesses: { ...(instructions && { instructions }), ...(memory && { memory }) },
        }),
        id,
        connections,
        title,
        pairs,
        clientBound,
        expectedNoise,
        ended: true,
        notes: [],
      }),
    ),
    precision,
    asked,
  );
  const rejudged = new Map(recorded.map(({ row }, i) => [row, judged[i]?.compared]));
  return rows.map(({ row }) => {
    const compared = rejudged.get(row);
    if (!compared) return row;
    const { verdict, metrics, standsOn, clientBound = false, notes = [] } = compared;
    const all = [...new Set([...notesThatHold(row, metrics), ...notes])];
    const { notes: _, ...rest } = row;
    return {
      ...rest,
      verdict,
      ...(standsOn && { standsOn }),
      metrics,
      clientBound,
      ...(all.length > 0 && { notes: all }),
    };
  });
}

function compareKeys(a: ComparedRow, b: ComparedRow): number {
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  return (a.connections ?? 0) - (b.connections ?? 0);
}

/** An interrupted run had no verdict yet for pairs that have one now, and other rows may confirm what was not confirmed. */
function notesThatHold({ notes = [] }: ComparedRow, metrics: ComparedRow["metrics"]): readonly string[] {
  if (Object.keys(metrics).length === 0) return notes;
  return notes.filter((note) => note !== TOO_FEW_PAIRS && !isUnconfirmedNote(note));
}
