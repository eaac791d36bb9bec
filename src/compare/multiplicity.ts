/** Many tests in one report: which of them count as discoveries. */

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
