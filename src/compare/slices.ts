/** Which slices of a pair its figures are made from, and which of them count. */
import type { Pair, PairSlice } from "../results/comparison.js";
import { lowerMedian } from "./median.js";
import { remembered } from "./remembered.js";

/**
 * A slice is void when others took so much more CPU time (a share) than in the pair's median slice. The limits were fixed
 * beforehand and do not depend on the result. A constant load slows both sides alike, so it voids nothing.
 * /proc/stat counts ticks of 10 ms: one tick of a 0.3 s slice on two CPUs is 1.7 %.
 */
const STEAL_LIMIT = 0.05;
const OTHERS_LIMIT = 0.15;
/** Of the four slices of a side. With fewer, the best one is not comparable with that of other pairs. */
export const SLICES_MIN = 3;
/** A single block does not show how much blocks differ. */
const BLOCKS_MIN = 2;

type Side = PairSlice["side"];
export type SideSlices = Readonly<Record<Side, readonly PairSlice[]>>;

/** A slice of base and one of head that shared the same time. */
interface Block {
  readonly base: PairSlice;
  readonly head: PairSlice;
}

function stolen({ stealShare = 0 }: PairSlice): number {
  return stealShare;
}

function others({ othersShare }: PairSlice): number {
  return othersShare;
}

/** How base and head shared their time: at once, in turns (files of an earlier form), or not at all. */
export function sharing({ slices }: Pair): "together" | "turns" | undefined {
  if (slices.some(({ together }) => together)) return "together";
  return slices.some(({ turns }) => turns !== undefined) ? "turns" : undefined;
}

/** Of both sides at the same time; where they never shared it, all slices in a closed loop. Void ones included. */
function closedSlices(pair: Pair): readonly PairSlice[] {
  const isShared = ({ together, turns }: PairSlice) => together === true || turns !== undefined;
  return pair.slices.filter(sharing(pair) ? isShared : ({ open }) => open === undefined);
}

/** Those of one side alone, beside slices together. */
export function aloneSlices(slices: readonly PairSlice[]): readonly PairSlice[] {
  return slices.filter(({ together, open }) => !together && open === undefined);
}

/**
 * Those of them that count, in the order of time: as many of base as of head. What takes the CPU from both sides at the same time makes none
 * of them void.
 */
export const countingSlices: (pair: Pair) => SideSlices = remembered((pair: Pair) => {
  const slices = closedSlices(pair);
  const shared = sharing(pair);
  if (!shared) return validSlices(slices);
  const isVoid = shared === "together" ? () => false : voidRule(slices);
  const valid = blocksOf(slices).filter(({ base, head }) => !isVoid(base) && !isVoid(head));
  return { base: valid.map(({ base }) => base), head: valid.map(({ head }) => head) };
});

/** The i-th slices of both sides belong together. */
function blocksOf(slices: readonly PairSlice[]): Block[] {
  const ofHead = slices.filter(({ side }) => side === "head");
  return slices
    .filter(({ side }) => side === "base")
    .flatMap((base, i) => {
      const head = ofHead[i];
      return head ? [{ base, head }] : [];
    });
}

/**
 * The slices of each side that count: the same number of both, because the best of four is better than the best of three.
 * The last ones of the longer side are left out, whatever their figures.
 */
export function validSlices(slices: readonly PairSlice[]): SideSlices {
  const isVoid = voidRule(slices);
  const of = (side: Side) => slices.filter((slice) => slice.side === side && !isVoid(slice));
  const [base, head] = [of("base"), of("head")];
  const count = Math.min(base.length, head.length);
  return { base: base.slice(0, count), head: head.slice(0, count) };
}

function voidRule(slices: readonly PairSlice[]): (slice: PairSlice) => boolean {
  const steal = lowerMedian(slices.map(stolen)) + STEAL_LIMIT;
  const load = lowerMedian(slices.map(others)) + OTHERS_LIMIT;
  return (slice) => stolen(slice) > steal || others(slice) > load;
}

/** Whether enough slices of both sides are left; otherwise the pair is measured again. Of shared time: more than half of the blocks. */
export const isValid: (pair: Pair) => boolean = remembered((pair: Pair) => {
  const { base } = countingSlices(pair);
  if (!sharing(pair)) return base.length >= SLICES_MIN;
  const blocks = blocksOf(closedSlices(pair)).length;
  return base.length >= Math.max(BLOCKS_MIN, Math.floor(blocks / 2) + 1);
});

/** Share of the CPU time of server and load generator that other processes took; undefined where it is small. */
export function otherLoad(pairs: readonly Pair[]): number | undefined {
  const share = lowerMedian(pairs.flatMap((pair) => closedSlices(pair).map(others)));
  return share > OTHERS_LIMIT ? share : undefined;
}

/** Seconds of the pairs that are void, or during most of which other processes took more than the limit. */
export function disturbedSec(pairs: readonly Pair[]): number {
  const disturbed = pairs.filter((pair) => !isValid(pair) || otherLoad([pair]) !== undefined);
  return disturbed.reduce((sum, { seconds }) => sum + seconds, 0);
}
