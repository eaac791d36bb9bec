/**
 * The CPU that a server uses while the other side has the load. Both servers of a pair live at once: a server that keeps the
 * CPU busy at rest slows the other side, and looks faster for it. So the CPU of the side without load is a separate finding,
 * and a verdict that this CPU can explain is withdrawn.
 */
import type { ComparedRow, Pair, PairSlice, Verdict } from "../results/comparison.js";
import { studentQuantile } from "./distributions.js";
import type { Look } from "./looks.js";
import type { PairedMetric } from "./metrics.js";
import { mean } from "./moderated.js";
import { direction, type Effect, floorTest, isEquivalent, LEVEL } from "./verdict.js";

/**
 * CPUs in use at rest beyond those of the other side: more than this is worse. Less may come from timers, from a supervisor's
 * polling, and from requests that a slice's end cut off. In 60 recorded rows of four servers whose sides rest alike, most of them beside a
 * neighbour or with planted work, the mean difference of a row was 0.2 % of a CPU at most (4.5 % in a single pair).
 */
const IDLE_LIMIT = 0.03;
/** Of one pair, at the least: four pairs that agree by chance must not look certain. */
const PAIR_SD_MIN = 0.005;
/** One-sided. It is tested whenever a row is judged, so it is stricter than the verdicts. */
const IDLE_LEVEL = 0.01;
export const IDLE_PAIRS_MIN = 3;
/** CPUs in use at rest: from such a difference on, the first pairs are not enough to judge it. */
const NOTABLE = 0.01;

type Side = PairSlice["side"];

/** CPUs in use at rest, means over the pairs. */
export interface IdleCpu {
  readonly base: number;
  readonly head: number;
  /** The side that surely uses more than the other; undefined: neither. */
  readonly burner: Side | undefined;
  /** Whether it uses more by so much that this is a finding. */
  readonly beyondLimit: boolean;
  /** Head's mean is beyond the limit, and more pairs may show that it surely is. */
  readonly inDoubt: boolean;
}

/** Undefined where it was not recorded, or in too few pairs. */
export function idleCpu(pairs: readonly Pair[]): IdleCpu | undefined {
  const recorded = pairs.flatMap((pair) => idleOf(pair) ?? []);
  if (recorded.length < IDLE_PAIRS_MIN) return undefined;
  const more = recorded.map(({ base, head }) => head - base);
  const centre = mean(more);
  const variance = more.reduce((sum, one) => sum + (one - centre) ** 2, 0) / (more.length - 1);
  const reach =
    studentQuantile(1 - IDLE_LEVEL, more.length - 1) * Math.sqrt(Math.max(variance, PAIR_SD_MIN ** 2) / more.length);
  const surely = Math.abs(centre) - reach;
  return {
    base: mean(recorded.map(({ base }) => base)),
    head: mean(recorded.map(({ head }) => head)),
    burner: surely > 0 ? (centre > 0 ? "head" : "base") : undefined,
    beyondLimit: surely > IDLE_LIMIT,
    inDoubt: surely <= IDLE_LIMIT && centre > IDLE_LIMIT,
  };
}

/** Whether more pairs have to show what both use at rest. */
export function seemsUneven(idle: IdleCpu | undefined): boolean {
  return idle !== undefined && (idle.inDoubt || Math.abs(idle.head - idle.base) > NOTABLE);
}

/** A slice of one side records what the other one used at rest. */
function idleOf({ slices }: Pair): Readonly<Record<Side, number>> | undefined {
  const during = (side: Side): number => {
    const known = slices.filter((slice) => slice.side === side && slice.idleCpuSec !== undefined);
    const seconds = known.reduce((sum, slice) => sum + slice.seconds, 0);
    return known.reduce((sum, slice) => sum + (slice.idleCpuSec ?? 0), 0) / seconds;
  };
  const idle = { base: during("head"), head: during("base") };
  return Number.isFinite(idle.base) && Number.isFinite(idle.head) ? idle : undefined;
}

/**
 * The verdict, or "inconclusive" where what one side used at rest may be all of it: the verdict has to hold when the
 * share of the CPU that was taken from the other side is divided out.
 */
export function verdictDespiteIdle(
  verdict: Verdict,
  effect: Effect,
  metric: Pick<PairedMetric, "better" | "margins" | "percentile" | "ofStart">,
  { equivalenceLevel }: Pick<Look, "equivalenceLevel">,
  idle: IdleCpu | undefined,
): Verdict {
  if (!idle?.burner || metric.ofStart !== undefined) return verdict;
  const forBurner = idle.burner === "head" ? "better" : "worse";
  if (verdict !== forBurner && verdict !== "unchanged") return verdict;
  const explained = -Math.log1p(-Math.min(MOST, Math.abs(idle.head - idle.base)));
  const towardsBurner = (metric.better === "higher") === (forBurner === "better") ? 1 : -1;
  const left = { ...effect, logRatio: effect.logRatio - towardsBurner * explained };
  if (verdict === "unchanged") return isEquivalent(left, metric.margins, equivalenceLevel) ? verdict : "inconclusive";
  // A tail is longer by far more than the share of the CPU that was taken.
  if (metric.percentile !== undefined || idle.beyondLimit) return "inconclusive";
  const holds = direction(metric, left.logRatio) === verdict && floorTest(left, metric.margins) <= LEVEL;
  return holds ? verdict : "inconclusive";
}

/** A logarithm has to be taken of what is left. */
const MOST = 0.99;

/** The fields of a row. */
export function idleFields(idle: IdleCpu | undefined): Pick<ComparedRow, "idleCpu"> {
  if (!idle) return {};
  return { idleCpu: { base: idle.base, head: idle.head, worse: isWorse(idle) } };
}

export function isWorse(idle: IdleCpu | undefined): boolean {
  return idle?.burner === "head" && idle.beyondLimit;
}

/**
 * Notes of a row.
 * @param withdrawn titles of the metrics whose verdict this CPU can explain
 */
export function idleNotes(idle: IdleCpu | undefined, withdrawn: readonly string[]): string[] {
  if (!idle) return [];
  const { base, head, burner } = idle;
  const slowed = burner === "head" ? "base" : "head";
  return [
    ...(Math.max(base, head) > IDLE_LIMIT ? [`head uses ${share(head)} of a CPU while idle, base ${share(base)}`] : []),
    ...(withdrawn.length > 0
      ? [`no verdict on ${withdrawn.join(" and ")}: ${burner} used the CPU while idle and so slowed ${slowed}`]
      : []),
  ];
}

const WITHDRAWN = /^no verdict on .+: (?:base|head) used the CPU while idle and so slowed (?:base|head)$/;

/** Which verdicts there are rests on the other rows of the report too, so it is made anew when a row is judged again. */
export function isWithdrawnNote(note: string): boolean {
  return WITHDRAWN.test(note);
}

function share(cpus: number): string {
  return `${(cpus * 100).toFixed(0)} %`;
}
