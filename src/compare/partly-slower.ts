/**
 * A head whose slices differ more than base's: garbage collection, expiring caches, a stall now and then. The best slice of
 * such a server is as fast as before, and its mean is not.
 */
import type { Pair } from "../results/comparison.js";
import { studentUpperTail } from "./distributions.js";
import { median } from "./median.js";
import { mean, variance } from "./moderated.js";
import { meanLogRatio, type Read, sliceLosses } from "./pairs.js";
import { countingSlices, isValid, type SideSlices, sharing } from "./slices.js";

/** One-sided. It is tested whenever a row is judged, so it is stricter than the verdicts. */
const PARTLY_LEVEL = 0.005;
/** Up to this p-value, more pairs could show it. */
const PARTLY_SUSPICION = 0.05;
/** On logarithms: how much worse the worse half of head's slices has to be, beyond base's. */
const CONTRAST_MIN = Math.log1p(0.02);
/** Slices that differ by less than this do so without a reason; it also keeps the logarithm of a variance finite. */
const SCATTER_MIN = 0.005;
const PAIRS_MIN = 4;

export interface PartlySlower {
  /** "found", or "possible" where more pairs could show it. */
  readonly state: "found" | "possible";
  /** The figure of a pair does not show this wholly: it is that of its best slices, or a mean in which no slice counts for much. */
  readonly hidden: boolean;
  /** Relative changes of the best slices and of the mean, the middle one of the pairs. */
  readonly best: number;
  readonly mean: number;
}

/**
 * Whether head's slices differ more than base's: a one-sided t-test on the logarithms of the variance ratios of the pairs,
 * and a least size. Undefined where they do not.
 */
export function partlySlower(pairs: readonly Pair[], metric: Read): PartlySlower | undefined {
  const valid = pairs.filter(isValid);
  const shapes = valid.map((pair) => shapeOf(countingSlices(pair), metric)).filter(isKnown);
  if (shapes.length < PAIRS_MIN || median(shapes.map(({ contrast }) => contrast)) < CONTRAST_MIN) return undefined;
  const p = positiveTest(shapes.map(({ variances }) => variances));
  if (!(p <= PARTLY_SUSPICION)) return undefined;
  return {
    state: p <= PARTLY_LEVEL ? "found" : "possible",
    hidden: valid.every((pair) => sharing(pair) !== "turns"),
    best: Math.expm1(median(shapes.map(({ best }) => best))),
    mean: Math.expm1(median(shapes.map((shape) => shape.mean))),
  };
}

/** Of one pair, on logarithms, head over base. */
interface Shape {
  readonly variances: number;
  /** The worse half of the slices over the better one. */
  readonly contrast: number;
  readonly best: number;
  readonly mean: number;
}

function shapeOf(slices: SideSlices, metric: Read): Shape {
  const [base, head] = [sideShape(sliceLosses(slices.base, metric)), sideShape(sliceLosses(slices.head, metric))];
  const sign = metric.better === "higher" ? -1 : 1;
  return {
    variances: Math.log(head.variance) - Math.log(base.variance),
    contrast: head.contrast - base.contrast,
    best: sign * (head.best - base.best),
    mean: meanLogRatio(slices, metric),
  };
}

function isKnown(shape: Shape): boolean {
  return Object.values(shape).every(Number.isFinite);
}

function sideShape(losses: readonly number[]) {
  const sorted = [...losses].sort((a, b) => a - b);
  const half = Math.floor(sorted.length / 2);
  return {
    variance: variance(sorted) + SCATTER_MIN ** 2,
    contrast: half === 0 ? 0 : mean(sorted.slice(-half)) - mean(sorted.slice(0, half)),
    best: sorted[0] ?? Number.NaN,
  };
}

/** One-sided t-test of a mean above 0. */
function positiveTest(values: readonly number[]): number {
  const error = Math.sqrt(variance(values) / values.length);
  const centre = mean(values);
  if (error === 0) return centre > 0 ? 0 : 1;
  return studentUpperTail(centre / error, values.length - 1);
}

/** `CPU per request: slower in part of the slices (its best slices +0.2 %, its mean +5.1 %)` */
export function partlySlowerNote(title: string, { best, mean: whole }: PartlySlower): string {
  return `${title}: slower in part of the slices (its best slices ${signed(best)}, its mean ${signed(whole)})`;
}

/** `+1.2 %` */
export function signed(share: number): string {
  return `${share < 0 ? "-" : "+"}${(Math.abs(share) * 100).toFixed(1)} %`;
}
