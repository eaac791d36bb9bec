/** A drawn report, decided as a run decides: pairs are spent one at a time, on the row that needs them most. */
import { nextRow } from "../../src/compare/budget.js";
import { validPairs } from "../../src/compare/counted-pairs.js";
import type { Noise } from "../../src/compare/earlier-noise.js";
import { type JudgedRow, judgePaired, type PairedRow } from "../../src/compare/paired.js";
import { type Precision, USUAL_PRECISION } from "../../src/compare/precision.js";
import type { ComparedRow, Pair } from "../../src/results/comparison.js";
import { CONNECTIONS } from "../record/subjects.js";

interface Row {
  /** That a run would measure, in the order of time. */
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
  const used = rows.map(() => 0);
  const soFar = (ended: boolean) =>
    rows.map(({ pairs, expectedNoise }, i) => ({
      ...pairedRow(String(i), pairs.slice(0, used[i]), ended),
      expectedNoise,
    }));
  for (;;) {
    const current = soFar(false);
    const candidates = judgePaired(current, precision).map(({ compared: { id }, open, suspicious }, i) => {
      const pairs = current[i]?.pairs ?? [];
      return { id, pairs: validPairs(pairs), measured: pairs.length, open, suspicious };
    });
    const id = nextRow(candidates, { elapsedSec: 0, pairSec: 0 }, precision);
    if (id === undefined) return judgePaired(soFar(true), precision);
    used[Number(id)] = (used[Number(id)] ?? 0) + 1;
  }
}

/** With all pairs at once: what the estimate is after its last look. */
export function estimate(pairs: readonly Pair[]): ComparedRow | undefined {
  return judgePaired([pairedRow("0", pairs, true)])[0]?.compared;
}

function pairedRow(id: string, pairs: readonly Pair[], ended: boolean): PairedRow {
  return { id, title: id, connections: CONNECTIONS, clientBound: false, notes: [], pairs, ended };
}
