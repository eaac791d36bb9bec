/** Samples both sides of a row in turn, at one rate of requests. */
import { randomInt } from "node:crypto";
import { join } from "node:path";
import { samplesOf } from "../../compare/profile.js";
import { parseStacks, relativeStacks, type Stack, workingStacks } from "../../compare/profile-stacks.js";
import { messageOf } from "../../errors.js";
import type { Side } from "../../plan/types.js";
import { checkoutOf } from "../../provision/sides/git.js";
import type { Pair } from "../../results/comparison.js";
import { chanceEnvironment, pairChance } from "../pairs/chance.js";
import type { PairSides } from "../pairs/pair-servers.js";
import { rateAt } from "../rate.js";
import type { SamplingMode } from "./py-spy.js";
import { type SampleContext, type ServerSample, sampleServer } from "./sample-server.js";

/** A drift of the machine reaches both sides alike, and no side is always the first. */
const ORDER: readonly Side[] = ["base", "head", "head", "base", "base", "head"];
/** Processes of each side. */
export const PROCESSES = ORDER.length / 2;
/** With fewer samples on a side every difference is smaller than its error. */
const SAMPLES_MIN = 100;
/** Share of the slower side's throughput. Both sides can hold this rate while they are sampled. */
const RATE_SHARE = 0.5;
const SEED_MAX = 2 ** 32;

/** Successful requests per second of each side, as the pairs measured them. */
type Throughputs = Readonly<Record<Side, number>>;

export interface SideProfile {
  /** Of threads that worked, with paths relative to the side. */
  readonly stacks: readonly Stack[];
  readonly requests: number;
  readonly cpuSec: number;
}

export type RowSamples =
  | {
      readonly state: "sampled";
      readonly ratePerSec: number | undefined;
      readonly sides: Readonly<Record<Side, SideProfile>>;
    }
  | { readonly state: "failed"; readonly reason: string };

interface Sampling extends Omit<SampleContext, "ratePerSec" | "extraEnv" | "mode"> {
  readonly throughputs: Throughputs | undefined;
  onPhase(phase: string): void;
}

/** Both sides in the same way: where one of them works in threads, both are sampled anew. @throws the run's abort reason */
export async function profileRow(
  sides: PairSides,
  sampling: Sampling,
  mode: SamplingMode = "native",
): Promise<RowSamples> {
  const { throughputs, onPhase, ...context } = sampling;
  const ratePerSec = sides.head.row.generator === "oha" ? sampledRate(throughputs) : undefined;
  const seed = randomInt(SEED_MAX);
  const samples: Record<Side, ServerSample[]> = { base: [], head: [] };
  for (const [i, side] of ORDER.entries()) {
    onPhase(`${side}: sampling, process ${Math.floor(i / 2) + 1} of ${PROCESSES}`);
    const chance = pairChance(seed, Math.floor(i / 2));
    const outcome = await sampleSide(side, sides, {
      ...context,
      mode,
      ratePerSec,
      extraEnv: chanceEnvironment(chance),
    });
    if (outcome.state === "threaded") return await profileRow(sides, sampling, "lock");
    if (outcome.state === "failed") return { state: "failed", reason: `${side}: ${outcome.reason}` };
    samples[side].push(outcome);
  }
  return gathered(samples, sides, ratePerSec);
}

/** Whatever goes wrong is the reason why there is no profile, except that the run ends. */
async function sampleSide(side: Side, sides: PairSides, context: SampleContext) {
  try {
    return await sampleServer(sides[side], context);
  } catch (error) {
    context.run.signal.throwIfAborted();
    return { state: "failed", reason: messageOf(error) } as const;
  }
}

function sampledRate(throughputs: Throughputs | undefined): number | undefined {
  if (!throughputs) return undefined;
  const slower = Math.min(throughputs.base, throughputs.head);
  return slower > 0 ? rateAt(RATE_SHARE, slower) : undefined;
}

function gathered(
  samples: Readonly<Record<Side, readonly ServerSample[]>>,
  sides: PairSides,
  ratePerSec: number | undefined,
): RowSamples {
  const of = { base: sideProfile(samples.base, sides.base), head: sideProfile(samples.head, sides.head) };
  for (const side of ["base", "head"] as const) {
    const count = samplesOf(of[side].stacks);
    if (count < SAMPLES_MIN)
      return {
        state: "failed",
        reason: `${side}: py-spy took ${count} samples of working threads, and ${SAMPLES_MIN} are needed`,
      };
  }
  return { state: "sampled", ratePerSec, sides: of };
}

function sideProfile(samples: readonly ServerSample[], { row, ready }: PairSides["base"]): SideProfile {
  const { cwd } = row.server;
  const roots = { environment: join(ready.binDir, ".."), checkout: checkoutOf(cwd) ?? cwd };
  const stacks = samples.flatMap((sample) => parseStacks(sample.stacks));
  return {
    stacks: relativeStacks(workingStacks(stacks), roots),
    requests: samples.reduce((sum, { requests }) => sum + requests, 0),
    cpuSec: samples.reduce((sum, { cpuSec }) => sum + cpuSec, 0),
  };
}

/** The median of each side's slices alone: at the same time each has a part of the CPU. Undefined where a side has none. */
export function throughputsOf(pairs: readonly Pair[]): Throughputs | undefined {
  const [base, head] = (["base", "head"] as const).map((side) => {
    const rates = pairs
      .flatMap(({ slices }) => slices)
      .filter(({ side: of, open, together, seconds }) => of === side && !open && !together && seconds > 0)
      .map(({ requests, seconds }) => requests / seconds)
      .sort((a, b) => a - b);
    return rates[Math.floor(rates.length / 2)];
  });
  return base === undefined || head === undefined ? undefined : { base, head };
}
