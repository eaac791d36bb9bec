/** From an effect and its standard error to a p-value, and from p-values to verdicts. */
import type { ComparedRow, Verdict } from "../results/comparison.js";
import { studentQuantile, studentUpperTail } from "./distributions.js";
import type { Margins, PairedMetric } from "./metrics.js";

/** False discovery rate of a report, over all rows and metrics (Benjamini and Hochberg 1995). */
export const LEVEL = 0.05;

/**
 * A metric is better or worse at this p-value at most, whatever else the report holds: with few rows the false discovery rate
 * alone would allow a false report in twenty.
 */
export const STRICT_LEVEL = 0.005;

/** A minimum detectable change is found with this probability (Cohen 1988). */
const POWER = 0.8;

/** A change on logarithms, log(head / base), and its uncertainty. */
export interface Effect {
  readonly logRatio: number;
  readonly standardError: number;
  readonly df: number;
}

/** The p-value of "no change beyond the floor" (TREAT: McCarthy and Smyth 2009). */
export function floorTest({ logRatio, standardError, df }: Effect, { floor }: Margins): number {
  const size = Math.abs(logRatio);
  return Math.min(
    1,
    studentUpperTail((size - floor) / standardError, df) + studentUpperTail((size + floor) / standardError, df),
  );
}

/** Two-sided interval of the relative change. @param level of the error: 0.05 for 95 % */
export function relativeInterval(effect: Effect, level: number = LEVEL): [number, number] {
  return intervalAt(1 - level / 2, effect);
}

/**
 * Whether two one-sided tests both say that the change is smaller than the margin (Schuirmann 1987).
 * @param level of each test: at 0.05 the 90 % interval has to lie within the margin
 */
export function isEquivalent(effect: Effect, { equivalence }: Margins, level: number): boolean {
  const [low, high] = intervalAt(1 - level, effect);
  return low > -equivalence && high < equivalence;
}

/** Whether a one-sided test says that no change for the worse is as large as the margin. @param level of the test */
export function isChangeNoWorse(
  effect: Effect,
  { better, margins }: Pick<PairedMetric, "better" | "margins">,
  level: number,
) {
  const [low, high] = intervalAt(1 - level, effect);
  return better === "higher" ? low > -margins.equivalence : high < margins.equivalence;
}

/** Larger ones have no finite exponential, and a results file holds finite figures. */
const LOG_MAX = 700;

/** log(head / base) -> head / base - 1 */
export function relativeChange(logRatio: number): number {
  return Math.expm1(Math.min(logRatio, LOG_MAX));
}

function intervalAt(p: number, { logRatio, standardError, df }: Effect): [number, number] {
  const reach = studentQuantile(p, df) * standardError;
  return [relativeChange(logRatio - reach), relativeChange(logRatio + reach)];
}

/**
 * The smallest relative change for the worse that this row would have found, without a sign.
 * @param level that its p-value has to reach, the other rows of the report considered
 */
export function minimumDetectable(
  { standardError, df }: Omit<Effect, "logRatio">,
  level: number,
  { better, margins }: Pick<PairedMetric, "better" | "margins">,
): number {
  const reach = margins.floor + (studentQuantile(1 - level / 2, df) + studentQuantile(POWER, df)) * standardError;
  return better === "higher" ? -relativeChange(-reach) : relativeChange(reach);
}

/** Which way a change of this metric points. */
export function direction(metric: Pick<PairedMetric, "better">, logRatio: number): "better" | "worse" {
  return logRatio > 0 === (metric.better === "higher") ? "better" : "worse";
}

/** Against stored results, which were measured at another time: no proof of a change. */
export function isSuspect(verdict: Verdict): boolean {
  return verdict === "suspect-worse" || verdict === "suspect-better";
}

/** The verdict of a row is the first of these that one of its metrics has. */
const WEIGHTS: readonly Verdict[] = ["worse", "suspect-worse", "better", "suspect-better", "inconclusive", "unchanged"];

export function rowVerdict(metrics: ComparedRow["metrics"]): Verdict {
  const verdicts = Object.values(metrics).map((metric) => metric.verdict);
  return WEIGHTS.find((verdict) => verdicts.includes(verdict)) ?? "inconclusive";
}

/** Names of the metrics that have the row's verdict. */
export function basis(metrics: ComparedRow["metrics"], verdict: Verdict): string[] {
  return Object.entries(metrics).flatMap(([name, metric]) => (metric.verdict === verdict ? [name] : []));
}
