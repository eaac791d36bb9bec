/** Judges the rows of several shards again, as rows of one report: with one false discovery rate and one common noise. */
import type { SelectedMetrics } from "../plan/selected-metrics.js";
import type { ComparedRow } from "../results/comparison.js";
import { isUnconfirmedNote } from "./contradiction.js";
import { isWithdrawnNote } from "./idle.js";
import { benjaminiHochberg } from "./multiplicity.js";
import { judgePaired } from "./paired.js";
import { type Precision, USUAL_PRECISION } from "./precision.js";
import { AGAINST_TIME, NO_THROUGHPUT, TOO_FEW_PAIRS } from "./row-notes.js";
import { isSuspect, LEVEL, rowVerdict } from "./verdict.js";

export interface RecordedRow {
  readonly row: ComparedRow;
  /** The load generator was the limit on one side. */
  readonly clientBound: boolean;
  /** Metrics that its run gave a verdict on; default: the usual ones. */
  readonly selectedMetrics?: SelectedMetrics;
}

/**
 * The same rows with the verdicts that one run over all these pairs would have given. Notes, seconds and pairs stay; a row
 * without recorded pairs stays as it is.
 * @param rows of finished runs: no row gets another pair
 */
export function rejudgeMerged(rows: readonly RecordedRow[], precision: Precision = USUAL_PRECISION): ComparedRow[] {
  const recorded = rows.flatMap(({ row, clientBound, selectedMetrics }) =>
    row.recorded ? [{ row, pairs: row.recorded, clientBound, selectedMetrics }] : [],
  );
  // The last digit of a sum depends on its order: sorted, the same rows get the same verdicts however they were merged.
  recorded.sort((a, b) => compareKeys(a.row, b.row));
  const judged = judgePaired(
    recorded.map(
      ({
        row: { id, connections = 1, title = id, expectedNoise, instructions, memory },
        pairs,
        clientBound,
        selectedMetrics,
      }) => ({
        ...((instructions ?? memory) && {
          furtherMetrics: { ...(instructions && { instructions }), ...(memory && { memory }) },
        }),
        id,
        connections,
        title,
        pairs,
        clientBound,
        ...(selectedMetrics && { selectedMetrics }),
        expectedNoise,
        ended: true,
        notes: [],
      }),
    ),
    precision,
  );
  const rejudged = new Map(recorded.map(({ row }, i) => [row, judged[i]?.compared]));
  const doubted = doubtedSuspicions(rows.map(({ row }) => row));
  return rows.map(({ row }) => {
    const compared = rejudged.get(row);
    if (!compared) return withoutSuspicions(row, doubted.get(row));
    const { verdict, metrics, basis, clientBound = false, undecided, notes = [] } = compared;
    const all = [...new Set([...notesThatHold(row, metrics), ...notes])];
    // A row that was decided by itself, and is not beside the others, had time enough.
    const { notes: _, undecided: wasUndecided, ...rest } = row;
    return {
      ...rest,
      verdict,
      ...(basis && { basis }),
      metrics,
      clientBound,
      ...(wasUndecided && undecided && { undecided }),
      ...(all.length > 0 && { notes: all }),
    };
  });
}

/**
 * Each shard decided over its own rows: a suspicion against stored results has to hold at one false discovery rate over the rows of all
 * shards. @returns metrics that are no longer suspected, of each row
 */
function doubtedSuspicions(rows: readonly ComparedRow[]): ReadonlyMap<ComparedRow, ReadonlySet<string>> {
  const tests = rows
    .filter(({ recorded }) => recorded === undefined)
    .flatMap((row) => Object.entries(row.metrics).map(([name, { verdict, p }]) => ({ row, name, verdict, p })));
  // Others are no discoveries: a test that was voided has a p-value too.
  const adjusted = benjaminiHochberg(tests.map(({ p, verdict }) => (isSuspect(verdict) ? p : 1)));
  const doubted = new Map<ComparedRow, Set<string>>();
  for (const [i, { row, name, verdict }] of tests.entries())
    if (isSuspect(verdict) && (adjusted[i] ?? 1) > LEVEL) doubted.set(row, (doubted.get(row) ?? new Set()).add(name));
  return doubted;
}

function withoutSuspicions(row: ComparedRow, names: ReadonlySet<string> | undefined): ComparedRow {
  if (!names) return row;
  const metrics: ComparedRow["metrics"] = {};
  for (const [name, metric] of Object.entries(row.metrics))
    metrics[name] = names.has(name) ? { ...metric, verdict: "inconclusive" } : metric;
  return { ...row, metrics, verdict: rowVerdict(metrics) };
}

function compareKeys(a: ComparedRow, b: ComparedRow): number {
  if (a.id !== b.id) return a.id < b.id ? -1 : 1;
  return (a.connections ?? 0) - (b.connections ?? 0);
}

/** An interrupted run had no verdict yet for pairs that have one now, and other rows may give or take a verdict. */
function notesThatHold({ notes = [] }: ComparedRow, metrics: ComparedRow["metrics"]): readonly string[] {
  if (Object.keys(metrics).length === 0) return notes;
  const isMadeAnew = (note: string) => isUnconfirmedNote(note) || isWithdrawnNote(note);
  const ofVerdict = [TOO_FEW_PAIRS, NO_THROUGHPUT, AGAINST_TIME];
  return notes.filter((note) => !ofVerdict.includes(note) && !isMadeAnew(note));
}
