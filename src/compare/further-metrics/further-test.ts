/** The further metrics of a row -> a test for each metric, at the numbers of rounds that were fixed beforehand. */
import { isUsual, type SelectedMetrics } from "../../plan/selected-metrics.js";
import type { MetricComparison } from "../../results/comparison.js";
import type { FurtherMetrics } from "../../results/further-metrics.js";
import { changeInterval } from "../intervals.js";
import { type Look, looksOf } from "../looks.js";
import { mean } from "../moderated.js";
import type { Levels } from "../multiplicity.js";
import type { Precision } from "../precision.js";
import { direction, type Effect, floorTest, isEquivalent, minimumDetectable, relativeChange } from "../verdict.js";
import { effectOfFew, type FurtherRound } from "./few-rounds.js";
import {
  type FurtherMetric,
  INSTRUCTIONS,
  instructionsOfSuspects,
  MEMORY_GROWTH,
  MEMORY_PEAK,
} from "./further-metrics.js";
import { instructionRounds } from "./instructions.js";
import { growthRounds, peakRounds } from "./memory.js";
import { isStopped } from "./problems.js";

export interface FurtherTest {
  readonly metric: FurtherMetric;
  readonly rounds: readonly FurtherRound[];
  readonly effect: Effect;
  /** Over all looks. */
  readonly p: number;
  readonly lastLook: Look;
  /** It shows a change that time contradicts. */
  readonly againstTime?: boolean;
}

/** Undefined: counts have no verdict. A run that was asked for no special metrics counts the rows that look changed. */
export function countedMetric(selectedMetrics: SelectedMetrics, precision: Precision): FurtherMetric | undefined {
  if (selectedMetrics.includes("instructions")) return INSTRUCTIONS;
  return isUsual(selectedMetrics) ? instructionsOfSuspects(precision) : undefined;
}

/** @param ended no further round follows */
export function furtherTests(
  { instructions, memory }: FurtherMetrics,
  ended: boolean,
  selectedMetrics: SelectedMetrics,
  precision: Precision,
): FurtherTest[] {
  const tests: (FurtherTest | undefined)[] = [];
  const counts = countedMetric(selectedMetrics, precision);
  if (instructions?.state === "measured" && counts)
    tests.push(testOf(counts, instructionRounds(instructions.rounds), ended || isStopped(instructions)));
  if (memory?.state === "measured" && selectedMetrics.includes("memory")) {
    const last = ended || isStopped(memory);
    tests.push(testOf(MEMORY_PEAK, peakRounds(memory.pairs), last));
    tests.push(testOf(MEMORY_GROWTH, growthRounds(memory.pairs, memory.requests), last));
  }
  return tests.flatMap((test) => test ?? []);
}

function testOf(metric: FurtherMetric, rounds: readonly FurtherRound[], ended: boolean): FurtherTest | undefined {
  const looked = looksOf(rounds.length, ended, metric.looks)
    .filter(({ pairs }) => pairs >= 2)
    .map((look) => ({ look, effect: effectOfFew(rounds.slice(0, look.pairs)) }));
  const last = looked.at(-1);
  if (!last) return undefined;
  const { effect } = last;
  const agreeing = looked.filter((one) => Math.sign(one.effect.logRatio) === Math.sign(effect.logRatio));
  const small = Math.abs(effect.logRatio) <= metric.margins.floor;
  // What an early look found, and the later rounds did not, is no change.
  const p = small ? 1 : Math.min(1, ...agreeing.map((one) => floorTest(one.effect, metric.margins) / one.look.weight));
  return { metric, rounds: rounds.slice(0, last.look.pairs), effect, p, lastLook: last.look };
}

export function furtherComparison(
  { metric, rounds, effect, p, lastLook }: FurtherTest,
  called: boolean,
  { next, reached }: Levels,
): MetricComparison {
  const { weight, equivalenceLevel } = lastLook;
  const unchanged = isEquivalent(effect, metric.margins, equivalenceLevel);
  return {
    verdict: called ? direction(metric, effect.logRatio) : unchanged ? "unchanged" : "inconclusive",
    change: relativeChange(effect.logRatio),
    interval: changeInterval(effect, called ? { margins: metric.margins, level: reached * weight } : undefined),
    p,
    minimumDetectable: minimumDetectable(effect, next * weight, metric),
    pairs: rounds.length,
    base: mean(rounds.map(({ base }) => base)),
    head: mean(rounds.map(({ head }) => head)),
    sd: effect.standardError * Math.sqrt(rounds.length),
  };
}
