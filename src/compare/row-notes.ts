/** What a reader has to know of a row beside its verdict. */
import type { Pair } from "../results/comparison.js";
import { totalSec, validPairs } from "./counted-pairs.js";
import { aloneReason } from "./shared-time.js";
import { disturbedSec, otherLoad } from "./slices.js";

export const CLIENT_BOUND = "client-bound: its throughput is a lower bound";
/** Of a row that was compared with stored results. */
export const DISTURBED = "no verdict: other processes disturbed head's measurement";
/** Of a row that was counted because it looked changed. */
export const AGAINST_TIME =
  "the instruction count and the time changed in opposite directions, so the instruction count does not decide";
export const TOO_FEW_PAIRS = "too few pairs for a verdict";
/** Not every pair of the row has the slices that its throughput is made from. */
export const NO_THROUGHPUT = "no verdict on throughput: too few pairs have enough slices of each side alone";

/** Why the throughput is not that of both sides at the same time. */
export function sharingNotes(pairs: readonly Pair[]): string[] {
  const reason = aloneReason(pairs);
  if (reason === undefined) return [];
  if (reason.kind === "rounds")
    return [
      "throughput is that of each side alone: a load ends with a whole round of messages, so the slower side has the CPUs alone at the end",
    ];
  if (reason.kind === "crowded")
    return ["throughput is that of each side alone: while both are loaded, the servers slow each other down"];
  const { share } = reason;
  const [more, less] = share > 0 ? ["head", "base"] : ["base", "head"];
  const percent = (Math.expm1(Math.abs(share)) * 100).toFixed(0);
  return [
    `throughput is that of each side alone: ${more} used ${percent} % more CPU time than ${less} while both were loaded`,
  ];
}

export function disturbanceNotes(pairs: readonly Pair[]): string[] {
  const load = otherLoad(pairs);
  const voided = pairs.length - validPairs(pairs);
  const disturbed = disturbedSec(pairs);
  return [
    ...(disturbed > 0
      ? [`the machine was disturbed for ${disturbed.toFixed(0)} s of ${totalSec(pairs).toFixed(0)} s`]
      : []),
    ...(voided > 0 ? [`${voided} of ${pairs.length} pairs do not count: other load on the machine`] : []),
    ...(load === undefined
      ? []
      : [`other processes took ${(load * 100).toFixed(0)} % of the CPU time during the pairs`]),
  ];
}
