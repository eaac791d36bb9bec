import { describe, expect, it } from "vitest";
import { type Candidate, MEASURED_MAX, nextRow } from "../../src/compare/budget.js";
import { PAIRS_MIN } from "../../src/compare/looks.js";

function row(id: string, pairs: number, change: Partial<Candidate> = {}): Candidate {
  return { id, pairs, measured: pairs, open: true, suspicious: false, ...change };
}

const TIME = { elapsedSec: 0, pairSec: 4.5 };

describe("nextRow", () => {
  it("gives every row its first pairs in turn, whatever the time", () => {
    const late = { ...TIME, elapsedSec: 1000, limitSec: 60 };
    expect(nextRow([row("a", 2), row("b", 1), row("c", 2)], late)).toBe("b");
    expect(nextRow([row("a", PAIRS_MIN), row("b", PAIRS_MIN - 1)], late)).toBe("b");
    expect(nextRow([row("a", PAIRS_MIN), row("b", PAIRS_MIN)], late)).toBeUndefined();
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
    expect(nextRow([row("a", 1, { measured: MEASURED_MAX })], TIME)).toBeUndefined();
  });
});
