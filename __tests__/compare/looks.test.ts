/** At which numbers of pairs rows are tested, and what errors that allows. */
import { describe, expect, it } from "vitest";
import {
  INSTRUCTIONS,
  instructionsOfSuspects,
  MEMORY_PEAK,
} from "../../src/compare/further-metrics/further-metrics.js";
import { FINE_LOOKS, LOOKS, lastLook, looksOf, PAIRS_MAX } from "../../src/compare/looks.js";
import { mean, variance } from "../../src/compare/moderated.js";
import { USUAL_PRECISION } from "../../src/compare/precision.js";
import { isEquivalent } from "../../src/compare/verdict.js";
import { seeded, standardNormal } from "../support/noise.js";

describe("looks", () => {
  it("are at fixed numbers of pairs, and at the end of the time", () => {
    expect(looksOf(3, false)).toEqual([]);
    expect(looksOf(7, false).map((look) => look.pairs)).toEqual([4, 6]);
    expect(looksOf(7, true).map((look) => look.pairs)).toEqual([4, 6, 7]);
    expect(looksOf(PAIRS_MAX, true).map((look) => look.pairs)).toEqual([4, 6, 8, 12, 18, 24, 32]);
  });

  const sets = [
    ["pairs", LOOKS],
    ["pairs, for small changes", FINE_LOOKS],
    ["counted instructions", INSTRUCTIONS.looks],
    ["counted instructions of rows that look changed", instructionsOfSuspects(USUAL_PRECISION).looks],
    ["memory", MEMORY_PEAK.looks],
  ] as const;

  it.each(sets)("share one error budget: %s", (_, looks) => {
    expect(looks.reduce((sum, look) => sum + look.weight, 0)).toBeCloseTo(1);
  });

  it.each(sets)(
    "call a change of the size of the margin unchanged in one row of twenty, at any of them: %s",
    (_, looks) => {
      const random = seeded(3);
      const rows = 20_000;
      const margins = { floor: 0, equivalence: 0.03 };
      let unchanged = 0;
      for (let row = 0; row < rows; row += 1) {
        const logs = Array.from({ length: lastLook(looks) }, () => Math.log1p(0.03) + 0.001 * standardNormal(random));
        const isUnchanged = looks.some(({ pairs, equivalenceLevel }) => {
          const seen = logs.slice(0, pairs);
          const effect = { logRatio: mean(seen), standardError: Math.sqrt(variance(seen) / pairs), df: pairs - 1 };
          return isEquivalent(effect, margins, equivalenceLevel);
        });
        if (isUnchanged) unchanged += 1;
      }
      // Each row knows its own pairs only; with what other rows show it would be 4.5 to 5 %.
      expect(unchanged / rows).toBeGreaterThan(0.045);
      expect(unchanged / rows).toBeLessThan(0.056);
    },
  );
});
