/** A drawn report, decided as a run decides: pairs are spent one at a time, on the row that needs them most. */
import { nextRow } from "../../src/compare/budget.js";
import { validPairs } from "../../src/compare/counted-pairs.js";
import type { Noise } from "../../src/compare/earlier-noise.js";
import { type JudgedRow, judgePaired, type PairedRow } from "../../src/compare/paired.js";
import { type Precision, USUAL_PRECISION } from "../../src/compare/precision.js";
import { remembered } from "../../src/compare/remembered.js";
import { needsLevel } from "../../src/compare/shared-time.js";
import { aloneSlices } from "../../src/compare/slices.js";
import type { ComparedRow, Pair } from "../../src/results/comparison.js";
import { CONNECTIONS } from "../record/subjects.js";

interface Row {
  /** That a run would measure, in the order of time. A row that has no more is decided as where the time is spent. */
  readonly pairs: readonly Pair[];
  readonly expectedNoise?: Noise | undefined;
}

export function decide(rows: readonly Row[], precision: Precision = USUAL_PRECISION): ComparedRow[] {
  return decided(rows, precision).map(({ compared }) => compared);
}

/** How noisy a row was: what later runs remember of it. */
export function noiseOf(row: Row): Noise {
  return decided([row], USUAL_PRECISION)[0]?.noise ?? {};
}

function decided(rows: readonly Row[], precision: Precision): JudgedRow[] {
  const measured: Pair[][] = rows.map(() => []);
  const isSpent = (i: number) => (measured[i]?.length ?? 0) >= (rows[i]?.pairs.length ?? 0);
  const soFar = (ended: boolean) =>
    rows.map(({ expectedNoise }, i) => ({
      ...pairedRow(String(i), measured[i] ?? [], ended || isSpent(i)),
      expectedNoise,
    }));
  for (;;) {
    const current = soFar(false);
    const candidates = judgePaired(current, precision).map(({ compared: { id }, open, suspicious }, i) => {
      const pairs = current[i]?.pairs ?? [];
      return { id, pairs: validPairs(pairs), measured: pairs.length, open: open && !isSpent(i), suspicious };
    });
    const id = nextRow(candidates, { elapsedSec: 0, pairSec: 0 }, precision);
    const own = measured[Number(id)];
    const pair = rows[Number(id)]?.pairs[own?.length ?? 0];
    if (!own || !pair) return judgePaired(soFar(true), precision);
    own.push(needsLevel(own) ? pair : withoutLevel(pair));
  }
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
