import { describe, expect, it } from "vitest";
import { type Candidate, measuredMax, nextRow } from "../../src/compare/budget.js";
import { PAIRS_MIN } from "../../src/compare/looks.js";
import { USUAL_PRECISION } from "../../src/compare/precision.js";

function row(id: string, pairs: number, change: Partial<Candidate> = {}): Candidate {
  return { id, pairs, measured: pairs, pairSec: 4.5, open: true, suspicious: false, ...change };
}

const TIME = { elapsedSec: 0 };

describe("nextRow", () => {
  it("gives every row its first pairs in turn", () => {
    expect(nextRow([row("a", 2), row("b", 1), row("c", 2)], TIME)).toBe("b");
    expect(nextRow([row("a", PAIRS_MIN), row("b", PAIRS_MIN - 1)], TIME)).toBe("b");
    expect(nextRow([row("a", 1), row("b", 0)], TIME)).toBe("b");
  });

  it("begins a row only where the budget has room for its first pairs and those of the rows before it", () => {
    const rows = [row("a", 1), row("b", 0)];
    // Three more pairs of a, four of b.
    expect(nextRow(rows, { ...TIME, elapsedSec: 4.5, limitSec: 36 })).toBe("b");
    expect(nextRow(rows, { ...TIME, elapsedSec: 4.5, limitSec: 35 })).toBe("a");
    expect(nextRow([row("a", PAIRS_MIN, { open: false }), row("b", 0)], { ...TIME, limitSec: 18 })).toBe("b");
    expect(nextRow([row("a", PAIRS_MIN, { open: false }), row("b", 0)], { ...TIME, limitSec: 17 })).toBeUndefined();
  });

  it("begins no row, not even the first one, whose first pairs do not fit", () => {
    expect(nextRow([row("a", 0), row("b", 0)], { ...TIME, limitSec: 17 })).toBeUndefined();
    expect(nextRow([row("a", 0), row("b", 0)], { ...TIME, limitSec: 18 })).toBe("a");
    expect(nextRow([row("a", 0, { pairSec: 10 }), row("b", 0)], { ...TIME, limitSec: 18 })).toBe("b");
    expect(nextRow([row("a", 2)], { elapsedSec: 9, limitSec: 1 })).toBeUndefined();
  });

  it("finishes the first pairs of one row where those of all begun rows no longer fit", () => {
    const slow = { pairSec: 60 };
    const time = { elapsedSec: 133, limitSec: 300 };
    expect(nextRow([row("a", 1, slow), row("b", 2, slow), row("c", 0, slow)], time)).toBe("b");
    expect(nextRow([row("a", 1, slow), row("b", PAIRS_MIN - 1, slow)], time)).toBe("b");
    // Its pairs are void again and again.
    const voided = row("b", 2, { ...slow, measured: 2 * PAIRS_MIN });
    expect(nextRow([row("a", 2, slow), voided], { ...time, elapsedSec: 150 })).toBe("a");
    // No row gets as far: what fits is measured all the same.
    expect(nextRow([row("a", 1, slow), row("b", 1, slow)], { ...time, elapsedSec: 200 })).toBe("a");
    expect(nextRow([row("a", 1, slow), row("b", 3, slow)], { ...time, elapsedSec: 241 })).toBeUndefined();
  });

  it.each([
    [100, 600, 4.5, 33],
    [100, 600, 9, 16],
    [10, 600, 4.5, 10],
    [3, 18, 4.5, 1],
  ])("%i rows within %i s, %f s a pair: %i rows are begun, and the time is kept", (rows, limitSec, pairSec, begun) => {
    const measured = new Map(Array.from({ length: rows }, (_, i) => [`${i}`, 0]));
    let elapsedSec = 0;
    for (;;) {
      // Before the first pair its time is a guess.
      const change = { pairSec: elapsedSec === 0 ? 1 : pairSec };
      const candidates = [...measured].map(([id, pairs]) => row(id, pairs, { ...change, open: pairs < PAIRS_MIN }));
      const id = nextRow(candidates, { elapsedSec, limitSec });
      if (id === undefined) break;
      measured.set(id, (measured.get(id) ?? 0) + 1);
      elapsedSec += pairSec;
    }
    const pairs = [...measured.values()].filter((count) => count > 0);
    expect(pairs).toEqual(Array.from({ length: begun }, () => PAIRS_MIN));
    expect(elapsedSec).toBeLessThanOrEqual(limitSec);
  });

  it("then prefers suspicious rows, and among them the one with the fewest pairs", () => {
    const rows = [row("a", 5), row("b", 8, { suspicious: true }), row("c", 7, { suspicious: true })];
    expect(nextRow(rows, TIME)).toBe("c");
    expect(nextRow([row("a", 6), row("b", 5)], TIME)).toBe("b");
  });

  it("starts no pair that would end after the time", () => {
    const rows = [row("a", 5)];
    expect(nextRow(rows, { ...TIME, elapsedSec: 55, limitSec: 60 })).toBe("a");
    expect(nextRow(rows, { ...TIME, elapsedSec: 56, limitSec: 60 })).toBeUndefined();
  });

  it("gives closed rows nothing, nor those whose pairs are void again and again", () => {
    expect(nextRow([row("a", 5, { open: false })], TIME)).toBeUndefined();
    expect(nextRow([row("a", 1, { measured: measuredMax(USUAL_PRECISION) })], TIME)).toBeUndefined();
  });
});
