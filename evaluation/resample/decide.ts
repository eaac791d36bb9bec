/** A drawn report, decided as a run decides: pairs are spent one at a time, on the row that needs them most. */
import { nextRow } from "../../src/compare/budget.js";
import { judgePaired, type PairedRow, validPairs } from "../../src/compare/paired.js";
import type { ComparedRow, Pair } from "../../src/results/comparison.js";
import { CONNECTIONS } from "../record/subjects.js";

/** @param rows the pairs of each row that a run would measure, in the order of time */
export function decide(rows: readonly (readonly Pair[])[]): ComparedRow[] {
  const used = rows.map(() => 0);
  const soFar = (ended: boolean) => rows.map((pairs, i) => pairedRow(String(i), pairs.slice(0, used[i]), ended));
  for (;;) {
    const current = soFar(false);
    const candidates = judgePaired(current).map(({ compared: { id }, open, suspicious }, i) => {
      const pairs = current[i]?.pairs ?? [];
      return { id, pairs: validPairs({ pairs }), measured: pairs.length, open, suspicious };
    });
    const id = nextRow(candidates, { elapsedSec: 0, pairSec: 0 });
    if (id === undefined) return decideAll(soFar(true));
    used[Number(id)] = (used[Number(id)] ?? 0) + 1;
  }
}

/** With all pairs at once: what the estimate is after its last look. */
export function estimate(pairs: readonly Pair[]): ComparedRow | undefined {
  return decideAll([pairedRow("0", pairs, true)])[0];
}

function decideAll(rows: readonly PairedRow[]): ComparedRow[] {
  return judgePaired(rows).map(({ compared }) => compared);
}

function pairedRow(id: string, pairs: readonly Pair[], ended: boolean): PairedRow {
  return { id, title: id, connections: CONNECTIONS, clientBound: false, notes: [], pairs, ended };
}
