import { describe, expect, it } from "vitest";
import { failureNotes } from "../../src/compare/failures.js";
import { reasonOf } from "../../src/report/trust/words.js";

const answered = (failed: number, requests = 1_000_000) => ({ requests: requests - failed, failed });

describe("failed requests", () => {
  it.each([
    [answered(0), answered(0), []],
    [answered(3), answered(0), []],
    [answered(0), answered(1), ["1 failed requests in head, none in base"]],
    [answered(1), answered(20_000), ["2.0 % of head's requests failed, 0.00010 % of base's"]],
    [answered(200_000), answered(1_000_000), ["100 % of head's requests failed, 20 % of base's"]],
    // Head answered ten times as many.
    [answered(2, 100_000), answered(20), []],
    [answered(20), answered(20, 100_000), ["0.020 % of head's requests failed, 0.0020 % of base's"]],
    // What chance does not exclude: 12 of 20 fall to one of two equal sides in a quarter of all cases.
    [answered(8), answered(12), []],
  ])("base %j, head %j: %j", (base, head, notes) => {
    expect(failureNotes(base, head)).toEqual(notes);
    for (const note of notes) expect(reasonOf(note)).toBe(note);
  });

  it("are only quoted in our own form", () => {
    expect(reasonOf("2.0 % of head's requests failed, see evil.example % of base's")).toBeUndefined();
  });
});
