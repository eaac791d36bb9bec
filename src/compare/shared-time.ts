/**
 * Where what both sides answered at the same time does not say what each of them can answer: they did not get the same CPU time, both
 * wait now and then and are in each other's way, or they did not share all of their time.
 */
import type { Pair, PairSlice } from "../results/comparison.js";
import { IDLE_PAIRS_MIN, idleCpu, seemsUneven } from "./idle.js";
import { median } from "./median.js";
import { remembered } from "./remembered.js";
import { aloneSlices, isValid, sharing } from "./slices.js";

/** On logarithms, of the CPU time of both sides. In 32 recorded rows the median of a row's pairs was 0.01 at most. */
const UNEVEN = 0.05;
/**
 * CPU time of both together over that of one alone. 1: the CPUs are busy already with one, so a change of throughput is one of CPU time for
 * each request. 2: neither is in the other's way. In 44 recorded rows of servers that work all the time the median of a row's pairs was 1.0 to 1.17.
 */
const CROWDED = { from: 1.25, to: 1.8 };

/**
 * log(head / base) of the CPU time. Up to here a crowding of 2 says that neither fills the CPUs: then a difference of CPU time is one of work, or noise of
 * servers that work little. Beyond it one side may fill them while the other one waits.
 */
const CALM = 0.25;

/** A row whose pairs so far have such a median can still get a reason: all of its pairs need more slices alone then. */
const NEAR = { uneven: 0.03, from: 1.2, to: 1.9 };

export type AloneReason =
  | { readonly kind: "uneven"; readonly share: number }
  | { readonly kind: "crowded" }
  | { readonly kind: "rounds" };

interface Sharing {
  /** log(head / base) of the CPU time while both were loaded. */
  readonly share: number;
  /** CPU time of both together over that of one alone; undefined without slices alone. */
  readonly crowding: number | undefined;
  /** Both have the same rounds to do, and the slower side does the end of them alone: a change of speed shows at about half of its size. */
  readonly rounds: boolean;
}

/** Why a row's throughput is that of the slices alone; undefined where it is not. */
export function aloneReason(pairs: readonly Pair[]): AloneReason | undefined {
  const typical = typicalSharing(pairs);
  return typical && reasonOf(typical);
}

/**
 * Whether a pair needs a slice of each side alone. The first pairs of a row, as few as can show what a server uses at rest, have one; further ones
 * do where one side seems to use more at rest than the other.
 * @param earlier pairs of the row
 */
export function needsLevel(earlier: readonly Pair[] = []): boolean {
  const known = earlier.filter((pair) => isValid(pair) && aloneSlices(pair.slices).length > 0);
  return known.length < IDLE_PAIRS_MIN || seemsUneven(idleCpu(earlier));
}

/**
 * Whether a pair needs more slices of each side alone. Each pair scatters: if only its own slices decided, a row near a limit would have them in
 * some of its pairs, and too few for its throughput.
 * @param earlier pairs of the row
 */
export function needsAlone(slices: readonly PairSlice[], earlier: readonly Pair[] = []): boolean {
  const typical = typicalSharing(earlier);
  const own = computedSharing(slices);
  if (reasonOf({ ...own, crowding: own.crowding ?? typical?.crowding }) !== undefined) return true;
  if (typical === undefined || isCalm(typical, NEAR.to)) return false;
  const { share, crowding = 1 } = typical;
  return Math.abs(share) > NEAR.uneven || (crowding > NEAR.from && crowding < NEAR.to);
}

/** Medians of the row; undefined where its sides never shared their time. */
function typicalSharing(pairs: readonly Pair[]): Sharing | undefined {
  const shared = pairs.filter((pair) => sharing(pair) === "together").map(sharingOf);
  if (shared.length === 0) return undefined;
  const crowdings = shared.flatMap(({ crowding }) => crowding ?? []);
  return {
    share: median(shared.map(({ share }) => share)),
    crowding: crowdings.length === 0 ? undefined : median(crowdings),
    rounds: shared.some(({ rounds }) => rounds),
  };
}

function reasonOf(sharing: Sharing): AloneReason | undefined {
  const { share, crowding = 1, rounds } = sharing;
  if (rounds) return { kind: "rounds" };
  if (isCalm(sharing, CROWDED.to)) return undefined;
  if (Math.abs(share) > UNEVEN) return { kind: "uneven", share };
  return crowding > CROWDED.from ? { kind: "crowded" } : undefined;
}

/** @param free crowding from which on neither is in the other's way */
function isCalm({ share, crowding = 1 }: Sharing, free: number): boolean {
  return crowding >= free && Math.abs(share) <= CALM;
}

const sharingOf: (pair: Pair) => Sharing = remembered(({ slices }: Pair) => computedSharing(slices));

function computedSharing(slices: readonly PairSlice[]): Sharing {
  const together = slices.filter((slice) => slice.together);
  const ofSide = (side: PairSlice["side"]) => cpuRate(together.filter((slice) => slice.side === side));
  const [base, head] = [ofSide("base"), ofSide("head")];
  const alone = aloneSlices(slices);
  return {
    share: Math.log(head) - Math.log(base),
    crowding: alone.length === 0 ? undefined : (base + head) / cpuRate(alone),
    rounds: together.some((slice) => slice.rounds),
  };
}

/** A server may stall through a whole slice. */
const CPU_MIN_SEC = 1e-4;

/** CPUs in use. */
function cpuRate(slices: readonly PairSlice[]): number {
  const cpuSec = slices.reduce((sum, { serverCpuSec }) => sum + serverCpuSec, 0);
  const seconds = slices.reduce((sum, slice) => sum + slice.seconds, 0);
  return Math.max(cpuSec, CPU_MIN_SEC) / seconds;
}
