/** Slices at a fixed rate in a results file: files without them stay valid, and what is not understood is refused. */
import { describe, expect, it } from "vitest";
import { checkResults } from "../../src/results/check.js";
import type { Comparison } from "../../src/results/comparison.js";
import { sampleResults } from "../support/results.js";

const CLOSED = { side: "base", seconds: 0.3, requests: 3000, serverCpuSec: 0.3, othersShare: 0 };
const OPEN = { ratePerSec: 6000, due: 3000, answered: 2990, failures: 0, windowSec: 0.1, clientShare: 0.5 };

function check(...slices: readonly unknown[]) {
  const row = { id: "a/b", verdict: "inconclusive", metrics: {}, seconds: 5, recorded: [{ seconds: 5, slices }] };
  const comparison = { mode: "paired", base: {}, rows: [row] } as unknown as Comparison;
  return checkResults({ ...sampleResults(), comparison });
}

function problems(slice: unknown): readonly string[] {
  const checked = check(slice);
  return checked.state === "invalid" ? checked.problems : [];
}

describe("recorded slices", () => {
  it("are closed loops unless they say otherwise", () => {
    expect(check(CLOSED).state).toBe("valid");
    expect(check(CLOSED, { ...CLOSED, open: { ...OPEN, latencyMs: { p50: 0.4, p99: 3 } } }).state).toBe("valid");
    expect(check({ ...CLOSED, open: OPEN }).state).toBe("valid");
  });

  it.each([
    [{ ...OPEN, due: 0.5 }, "open.due"],
    [{ ...OPEN, latencyMs: { p99: 1 } }, "open.latencyMs.p50"],
    [{ ratePerSec: 1 }, "open.due"],
  ])("name the field: %j", (open, field) => {
    expect(problems({ ...CLOSED, open })[0]).toContain(`comparison.rows[0].recorded[0].slices[0].${field}: `);
  });
});
