/** The further metrics of a row once they are tested: what is left to measure, and what a reader has to know. */
import type { SelectedMetrics } from "../../plan/selected-metrics.js";
import type { MetricComparison } from "../../results/comparison.js";
import type { FurtherMetrics } from "../../results/further-metrics.js";
import { totalSec } from "../counted-pairs.js";
import { firstLook, lastLook } from "../looks.js";
import type { Levels } from "../multiplicity.js";
import { floorTest } from "../verdict.js";
import { type FurtherMetric, MEMORY_GROWTH } from "./further-metrics.js";
import { type FurtherTest, furtherComparison } from "./further-test.js";
import { failedMeasurements, isStopped, problemNotes } from "./problems.js";

/** A metric with a p-value up to this gets more rounds before it is reported as unchanged. */
const SUSPICION = 0.1;

export interface JudgedWitness {
  readonly test: FurtherTest;
  readonly comparison: MetricComparison;
}

export function judgedWitness(test: FurtherTest, called: boolean, levels: Levels): JudgedWitness {
  return { test, comparison: furtherComparison(test, called, levels) };
}

/**
 * FurtherMetrics of which another round could change the verdict.
 * @param sure p-value that decides whatever other rows come to
 * @param counts how instructions are tested; undefined: they are not wanted
 */
export function furtherMetricsLeft(
  { instructions, memory }: FurtherMetrics,
  judged: readonly JudgedWitness[],
  sure: number,
  {
    selectedMetrics,
    counts,
  }: { readonly selectedMetrics: SelectedMetrics; readonly counts: FurtherMetric | undefined },
): readonly ("instructions" | "memory")[] {
  const left: ("instructions" | "memory")[] = [];
  const own = (name: string) => judged.filter(({ test }) => test.metric.name.startsWith(name));
  const counted = instructions?.state === "measured" ? instructions.rounds.length : 0;
  const sampled = memory?.state === "measured" ? memory.pairs.length : 0;
  const isLeft = (rounds: number, { looks }: FurtherMetric, tests: readonly JudgedWitness[]) =>
    rounds < firstLook(looks) || (rounds < lastLook(looks) && !tests.every((one) => isSettled(one, sure)));
  if (selectedMetrics.includes("memory") && !isStopped(memory) && isLeft(sampled, MEMORY_GROWTH, own("memory")))
    left.push("memory");
  if (counts && !isStopped(instructions) && isLeft(counted, counts, own("instructions"))) left.push("instructions");
  return left;
}

function isSettled({ test: { p, effect, metric }, comparison }: JudgedWitness, sure: number): boolean {
  if (p <= sure) return true;
  return comparison.verdict !== "inconclusive" && floorTest(effect, metric.margins) > SUSPICION;
}

/** Wall time of all rounds. Rounds of several rows may have run at the same time. */
export function furtherSec({ instructions, memory }: FurtherMetrics): number {
  const rounds = [
    ...(instructions?.state === "measured" ? instructions.rounds : []),
    ...(memory?.state === "measured" ? memory.pairs : []),
  ];
  return totalSec(rounds);
}

/** Without sides that failed: these have a line of their own in every report. */
export function furtherNotes({ instructions, memory }: FurtherMetrics): string[] {
  const failed = failedMeasurements({ instructions, memory }).map(({ kind }) => kind);
  return [
    ...(failed.includes("instructions") ? [] : problemNotes({ instructions })),
    ...(failed.includes("memory") ? [] : problemNotes({ memory })),
    ...(memory?.state === "measured" ? sourceNotes(memory.pairs) : []),
  ];
}

function sourceNotes(pairs: Extract<FurtherMetrics["memory"], { state: "measured" }>["pairs"]): string[] {
  const mixed = pairs.some(({ base, head }) => base && base.source !== head.source);
  if (mixed) return ["memory: some pairs do not count: proportional memory could be read on one side only"];
  const resident = pairs.some(({ head }) => head.source === "rss");
  return resident ? ["memory: resident memory, because proportional memory could not be read"] : [];
}
