/** Log-gamma and the regularised incomplete beta function, which the distributions are made of. */

/** Lanczos' approximation with g = 7 and nine coefficients (Godfrey 2001): relative error below 1e-14. */
const LANCZOS_G = 7;
const LANCZOS_FIRST = 0.99999999999980993;
const LANCZOS: readonly number[] = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905,
  -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** ln of the gamma function. @param x above 0 */
function logGamma(x: number): number {
  // Reflection, because the series is made for x of at least 1/2.
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - logGamma(1 - x);
  const sum = LANCZOS.reduce((total, coefficient, i) => total + coefficient / (x + i), LANCZOS_FIRST);
  const t = x + LANCZOS_G - 0.5;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

/** Far more terms than any argument below needs. */
const MAX_TERMS = 10_000;
const PRECISION = 1e-16;
/** Lentz' method: a denominator of 0 becomes this. */
const TINY = 1e-300;

/** I_x(a, b), the regularised incomplete beta function (DLMF 8.17). @param x from 0 to 1 */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x));
  // The fraction converges fast on one side of the mean; the other follows by symmetry (DLMF 8.17.4).
  if (x < (a + 1) / (a + b + 2)) return (front * continuedFraction(x, a, b)) / a;
  return 1 - (front * continuedFraction(1 - x, b, a)) / b;
}

/** DLMF 8.17.22 by the modified method of Lentz (Numerical Recipes, 3rd edition, section 6.4). */
function continuedFraction(x: number, a: number, b: number): number {
  let c = 1;
  let d = 1 / away(1 - ((a + b) * x) / (a + 1));
  let fraction = d;
  for (let m = 1; m <= MAX_TERMS; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away(1 + even * d);
    c = away(1 + even / c);
    fraction *= d * c;
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away(1 + odd * d);
    c = away(1 + odd / c);
    fraction *= d * c;
    if (Math.abs(d * c - 1) < PRECISION * 4) return fraction;
  }
  throw new RangeError(`the incomplete beta function did not converge for x=${x}, a=${a}, b=${b}`);
}

function away(value: number): number {
  return Math.abs(value) < TINY ? TINY : value;
}
