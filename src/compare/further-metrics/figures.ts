/** What the further metrics of a row show in each round, and of head alone. */
import type { FurtherMetrics } from "../../results/further-metrics.js";
import { mean } from "../moderated.js";
import type { FurtherRound } from "./few-rounds.js";
import { instructionRounds } from "./instructions.js";
import { growthOf, growthRounds, peakRounds } from "./memory.js";

/** In the order of time; none for a metric of timed pairs. */
export function furtherRounds({ instructions, memory }: FurtherMetrics, name: string): readonly FurtherRound[] {
  if (name === "instructions" && instructions?.state === "measured") return instructionRounds(instructions.rounds);
  if (memory?.state !== "measured") return [];
  if (name === "memoryPeak") return peakRounds(memory.pairs);
  return name === "memoryGrowth" ? growthRounds(memory.pairs, memory.requests) : [];
}

export interface HeadFigures {
  readonly instructions?: number;
  readonly peakMiB?: number;
  readonly growthMiB?: number;
}

/** Means over head's processes. */
export function headFigures({ instructions, memory }: FurtherMetrics): HeadFigures {
  const counts = instructions?.state === "measured" ? instructions.rounds.map(({ head }) => mean(head)) : [];
  const sampled = memory?.state === "measured" ? memory.pairs.map(({ head }) => head) : [];
  const requests = memory?.state === "measured" ? memory.requests : 1;
  const growth = sampled.flatMap((side) => growthOf(side, requests) ?? []);
  return {
    ...(counts.length > 0 && { instructions: mean(counts) }),
    ...(sampled.length > 0 && { peakMiB: mean(sampled.map(({ peakMiB }) => peakMiB)) }),
    ...(growth.length > 0 && { growthMiB: mean(growth) }),
  };
}
