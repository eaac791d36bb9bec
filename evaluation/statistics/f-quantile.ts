/** Quantiles of the F distribution. Infinite degrees of freedom of the denominator give chi-square over its degrees. */
import { betaQuantile, normalQuantile } from "../../src/compare/distributions.js";

const STEPS = 200;
const TERMS = 1000;
const TINY = 1e-16;

/** @param p lower tail, between 0 and 1 */
export function fQuantile(p: number, numerator: number, denominator: number): number {
  if (denominator === Number.POSITIVE_INFINITY) return chiSquareQuantile(p, numerator) / numerator;
  const share = betaQuantile(p, numerator / 2, denominator / 2);
  return (denominator * share) / (numerator * (1 - share));
}

/** By bisection. The Wilson-Hilferty approximation bounds the search. */
function chiSquareQuantile(p: number, df: number): number {
  const spread = 2 / (9 * df);
  const near = df * Math.max(0, 1 - spread + normalQuantile(p) * Math.sqrt(spread)) ** 3;
  let [low, high] = [0, 2 * near + 10];
  for (let step = 0; step < STEPS && high - low > TINY * high; step += 1) {
    const middle = (low + high) / 2;
    if (lowerGamma(df / 2, middle / 2) < p) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/** Regularised lower incomplete gamma function P(a, x), as its power series (DLMF 8.11.4). All terms are positive. */
function lowerGamma(a: number, x: number): number {
  if (x <= 0) return 0;
  let term = 1 / a;
  let total = term;
  for (let n = 1; n < TERMS && term > TINY * total; n += 1) {
    term *= x / (a + n);
    total += term;
  }
  return Math.min(1, total * Math.exp(a * Math.log(x) - x - logGamma(a)));
}

/** Stirling's series after a shift to at least 10 (DLMF 5.11.1). */
function logGamma(a: number): number {
  let [shifted, product] = [a, 1];
  for (; shifted < 10; shifted += 1) product *= shifted;
  const series = 1 / (12 * shifted) - 1 / (360 * shifted ** 3) + 1 / (1260 * shifted ** 5) - 1 / (1680 * shifted ** 7);
  return (shifted - 0.5) * Math.log(shifted) - shifted + Math.log(2 * Math.PI) / 2 + series - Math.log(product);
}
