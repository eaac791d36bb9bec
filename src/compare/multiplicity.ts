/** Many tests in one report: which of them count as discoveries. */
import { LEVEL, STRICT_LEVEL } from "./verdict.js";

/** What p-values have to reach. */
export interface Levels {
  /** Whatever other rows come to. */
  readonly sure: number;
  /** For the discoveries of the report. */
  readonly reached: number;
  /** For one further discovery. */
  readonly next: number;
}

/** The tests that show a change. They share one false discovery rate. */
export function discoveriesAmong<Test extends { readonly p: number }>(tests: readonly Test[]): ReadonlySet<Test> {
  const adjusted = benjaminiHochberg(tests.map(({ p }) => p));
  return new Set(tests.filter(({ p }, i) => p <= STRICT_LEVEL && (adjusted[i] ?? 1) <= LEVEL));
}

export function levelsOf(discoveries: number, tests: number): Levels {
  const at = (count: number) => Math.min(STRICT_LEVEL, (LEVEL * count) / Math.max(1, tests));
  return { sure: at(1), reached: at(discoveries), next: at(Math.min(discoveries + 1, tests)) };
}

/**
 * Adjusted p-values of Benjamini and Hochberg (1995), in the order given: calling all those at or below q keeps the
 * expected share of false discoveries at q. It holds for independent and for positively dependent tests
 * (Benjamini and Yekutieli 2001), which two metrics of one row are.
 */
export function benjaminiHochberg(pValues: readonly number[]): number[] {
  const order = pValues.map((p, index) => ({ p, index })).sort((a, b) => b.p - a.p);
  const adjusted = pValues.map(() => 1);
  let smallest = 1;
  for (const [position, { p, index }] of order.entries()) {
    smallest = Math.min(smallest, (p * pValues.length) / (pValues.length - position));
    adjusted[index] = smallest;
  }
  return adjusted;
}
