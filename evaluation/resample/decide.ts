/** A drawn report, decided as a run decides: pairs are spent one at a time, on the row that needs them most. */
import { nextRow } from "../../src/compare/budget.js";
import { validPairs } from "../../src/compare/counted-pairs.js";
import type { Noise } from "../../src/compare/earlier-noise.js";
import { type JudgedRow, judgePaired, type PairedRow } from "../../src/compare/paired.js";
import { detectOf, type Precision, USUAL_PRECISION } from "../../src/compare/precision.js";
import { remembered } from "../../src/compare/remembered.js";
import { needsLevel } from "../../src/compare/shared-time.js";
import { aloneSlices } from "../../src/compare/slices.js";
import { isUsual, type SelectedMetrics, USUAL_METRICS, WITH_COUNTS } from "../../src/plan/selected-metrics.js";
import type { ComparedRow, Pair } from "../../src/results/comparison.js";
import type { InstructionRound } from "../../src/results/further-metrics.js";
import { CONNECTIONS } from "../record/subjects.js";
import type { Counts } from "../recording/recording.js";

interface Row {
  /** That a run would measure, in the order of time. A row that has no more is decided as where the time is spent. */
  readonly pairs: readonly Pair[];
  readonly expectedNoise?: Noise | undefined;
  /** Counts that a run with Valgrind would make, in the order of time. Absent: there is no Valgrind. */
  readonly rounds?: readonly InstructionRound[] | undefined;
}

/** What was measured of a row so far. */
interface Measured {
  readonly row: Row;
  readonly pairs: Pair[];
  readonly rounds: InstructionRound[];
}

export function decide(rows: readonly Row[], precision: Precision = USUAL_PRECISION): ComparedRow[] {
  return decided(rows, precision).map(({ compared }) => compared);
}

/** How noisy a row was: what later runs remember of it. */
export function noiseOf(row: Row): Noise {
  return decided([row], USUAL_PRECISION)[0]?.noise ?? {};
}

function decided(rows: readonly Row[], precision: Precision): JudgedRow[] {
  // As `chooseMetrics` does: whoever looks for small changes gets every row counted before its pairs.
  const countsAll = detectOf(precision) !== undefined && rows.every(({ rounds }) => rounds !== undefined);
  const selectedMetrics = countsAll ? WITH_COUNTS : USUAL_METRICS;
  const measured = rows.map((row): Measured => ({ row, pairs: [], rounds: [] }));
  const judged = (ended: boolean) =>
    judgePaired(
      measured.map((one, i) => stateOf(String(i), one, ended, selectedMetrics)),
      precision,
      selectedMetrics,
    );
  for (;;) {
    const current = judged(false);
    const mayCount = !countsAll || measured.every(({ pairs }) => pairs.length === 0);
    if (mayCount && countOne(measured, current)) continue;
    const own = nextToPair(measured, current, precision);
    const pair = own?.row.pairs[own.pairs.length];
    if (!own || !pair) return judged(true);
    own.pairs.push(needsLevel(own.pairs) ? pair : withoutLevel(pair));
  }
}

/** One more round of the first row whose verdict it could change. @returns whether there was one */
function countOne(measured: readonly Measured[], judged: readonly JudgedRow[]): boolean {
  const own = measured[judged.findIndex(({ openFurtherMetrics }) => openFurtherMetrics.includes("instructions"))];
  const round = own?.row.rounds?.[own.rounds.length];
  if (round) own.rounds.push(round);
  return round !== undefined;
}

function nextToPair(
  measured: readonly Measured[],
  judged: readonly JudgedRow[],
  precision: Precision,
): Measured | undefined {
  const candidates = judged.map(({ compared: { id }, open, suspicious }, i) => {
    const { pairs = [] } = measured[i] ?? {};
    return { id, pairs: validPairs(pairs), measured: pairs.length, pairSec: 0, open, suspicious };
  });
  const id = nextRow(candidates, { elapsedSec: 0 }, precision);
  return id === undefined ? undefined : measured[Number(id)];
}

function stateOf(
  id: string,
  { row, pairs, rounds }: Measured,
  ended: boolean,
  selectedMetrics: SelectedMetrics,
): PairedRow {
  const spent = ended || pairs.length >= row.pairs.length;
  const more = !ended && row.rounds !== undefined && rounds.length < row.rounds.length;
  return {
    ...pairedRow(id, pairs, spent),
    expectedNoise: row.expectedNoise,
    ...(rounds.length > 0 && { furtherMetrics: { instructions: countsOf(rounds) } }),
    moreFurtherMetrics: more,
    countable: isUsual(selectedMetrics) && row.rounds !== undefined,
  };
}

/** Whatever a verdict does not read is left open. */
function countsOf(rounds: readonly InstructionRound[]): Counts {
  return { state: "measured", source: "callgrind", version: "", connections: 1, requests: 1, rounds: [...rounds] };
}

/** One of each side. */
const LEVEL_SLICES = 2;

/** A recording has slices alone in every pair, a run in those that need them. In earlier forms a pair began with them: they were its warm-up. */
const withoutLevel = remembered((pair: Pair): Pair => {
  const alone = aloneSlices(pair.slices);
  if (!pair.slices[0]?.together || alone.length !== LEVEL_SLICES) return pair;
  const seconds = pair.seconds - alone.reduce((sum, slice) => sum + slice.seconds, 0);
  return { ...pair, seconds, slices: pair.slices.filter((slice) => !alone.includes(slice)) };
});
/** With all pairs at once: what the estimate is after its last look. */
export function estimate(pairs: readonly Pair[]): ComparedRow | undefined {
  return judgePaired([pairedRow("0", pairs, true)])[0]?.compared;
}

function pairedRow(id: string, pairs: readonly Pair[], ended: boolean): PairedRow {
  return { id, title: id, connections: CONNECTIONS, clientBound: false, notes: [], pairs, ended };
}
