/** The witnesses of a row -> a test for each metric, at the numbers of rounds that were fixed beforehand. */
import { type AskedMetrics, isUsual } from "../../plan/asked-metrics.js";
import type { MetricComparison } from "../../results/comparison.js";
import type { Witnesses } from "../../results/witnesses.js";
import { changeInterval } from "../intervals.js";
import { type Look, looksOf } from "../looks.js";
import { mean } from "../moderated.js";
import type { Levels } from "../multiplicity.js";
import type { Precision } from "../precision.js";
import { direction, type Effect, floorTest, isEquivalent, minimumDetectable, relativeChange } from "../verdict.js";
import { effectOfFew, type WitnessRound } from "./few-rounds.js";
import { instructionRounds } from "./instructions.js";
import { growthRounds, peakRounds } from "./memory.js";
import { isStopped } from "./problems.js";
import {
  INSTRUCTIONS,
  instructionsOfSuspects,
  MEMORY_GROWTH,
  MEMORY_PEAK,
  type WitnessMetric,
} from "./witness-metrics.js";

export interface WitnessTest {
  readonly metric: WitnessMetric;
  readonly rounds: readonly WitnessRound[];
  readonly effect: Effect;
  /** Over all looks. */
  readonly p: number;
  readonly lastLook: Look;
  /** It shows a change that time contradicts. */
  readonly againstTime?: boolean;
}

/** Undefined: counts have no verdict. A run that was asked for no special metrics counts the rows that look changed. */
export function countedMetric(asked: AskedMetrics, precision: Precision): WitnessMetric | undefined {
  if (asked.includes("instructions")) return INSTRUCTIONS;
  return isUsual(asked) ? instructionsOfSuspects(precision) : undefined;
}

/** @param ended no further round follows */
export function witnessTests(
  { instructions, memory }: Witnesses,
  ended: boolean,
  asked: AskedMetrics,
  precision: Precision,
): WitnessTest[] {
  const tests: (WitnessTest | undefined)[] = [];
  const counts = countedMetric(asked, precision);
  if (instructions?.state === "measured" && counts)
    tests.push(testOf(counts, instructionRounds(instructions.rounds), ended || isStopped(instructions)));
  if (memory?.state === "measured" && asked.includes("memory")) {
    const last = ended || isStopped(memory);
    tests.push(testOf(MEMORY_PEAK, peakRounds(memory.pairs), last));
    tests.push(testOf(MEMORY_GROWTH, growthRounds(memory.pairs, memory.requests), last));
  }
  return tests.flatMap((test) => test ?? []);
}

function testOf(metric: WitnessMetric, rounds: readonly WitnessRound[], ended: boolean): WitnessTest | undefined {
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

export function witnessComparison(
  { metric, rounds, effect, p, lastLook }: WitnessTest,
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
