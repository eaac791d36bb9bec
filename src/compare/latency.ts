/**
 * Latency of a pair's slices at a fixed rate. A server that does not keep up with the rate has no latency of interest: its
 * queue grows as long as the slice lasts, so that the figure shows the length of the slice.
 */
import type { OpenSlice, Pair, PairSlice } from "../results/comparison.js";

/** A server that answers a smaller share of the due requests does not keep up. */
const HELD_SHARE = 0.95;
/** With a smaller share of held pairs, the rest would be a selection of the good ones. */
const HELD_PAIRS = 0.75;
/** With this share of its CPUs in use, the load generator may not have kept up. */
const CLIENT_BUSY = 0.9;

type OpenPairSlice = PairSlice & { readonly open: OpenSlice };

export function openSlices({ slices }: Pair): readonly OpenPairSlice[] {
  return slices.filter((slice): slice is OpenPairSlice => slice.open !== undefined);
}

/** Failed requests have no latency, so the remaining ones would look faster than the server is. */
function isHeld({ open: { failures, answered, due } }: OpenPairSlice): boolean {
  return failures === 0 && answered >= HELD_SHARE * due;
}

/** Whether both sides kept up with the rate in all slices of the pair. */
export function holdsRate(pair: Pair): boolean {
  return openSlices(pair).every(isHeld);
}

/** Whether the row has a latency: both sides kept up in most of its pairs. */
export function hasLatency(pairs: readonly Pair[]): boolean {
  const open = pairs.filter((pair) => openSlices(pair).length > 0);
  return open.length > 0 && open.filter(holdsRate).length >= HELD_PAIRS * open.length;
}

/** Milliseconds; undefined where too few answers came for this percentile. */
export function latencyOf({ open }: Pick<PairSlice, "open">, percentile: "p50" | "p99"): number | undefined {
  return open?.latencyMs?.[percentile];
}

/**
 * The rate of a row's latency and the pairs left out, or why there is no latency; empty where none was asked for.
 * @param clientBound the load generator was the limit of the closed loop
 */
export function latencyNotes(pairs: readonly Pair[], clientBound: boolean): string[] {
  const slices = pairs.flatMap(openSlices);
  const [first] = slices;
  if (!first) return [];
  const rate = `${first.open.ratePerSec} requests/s`;
  const lapses = lapsesOf(pairs);
  if (!hasLatency(pairs)) return [`no latency at ${rate}: ${lapses.join("; ")}`];
  const tail = slices.some((slice) => latencyOf(slice, "p99") !== undefined) ? "" : "; too few requests for a p99";
  const left = lapses.length === 0 ? "" : `; not counted: ${lapses.join("; ")}`;
  const shared = clientBound ? ", some of it the load generator's own" : "";
  return [`latency at ${rate} on both sides${shared}${tail}${left}`];
}

function lapsesOf(pairs: readonly Pair[]): string[] {
  const measured = pairs.filter((pair) => openSlices(pair).length > 0).length;
  return (["base", "head"] as const).flatMap((side) => {
    const lapsed = pairs
      .map((pair) => openSlices(pair).filter((slice) => slice.side === side && !isHeld(slice)))
      .filter((slices) => slices.length > 0);
    if (lapsed.length === 0) return [];
    return [`${side} did not hold it in ${lapsed.length} of ${measured} pairs (${whatHappened(lapsed.flat())})`];
  });
}

function whatHappened(lapsed: readonly OpenPairSlice[]): string {
  const failures = lapsed.reduce((sum, { open }) => sum + open.failures, 0);
  const least = Math.min(...lapsed.map(({ open }) => open.answered / Math.max(1, open.due)));
  const parts = [
    ...(failures > 0 ? [`${failures} requests failed`] : []),
    ...(least < HELD_SHARE ? [`${Math.floor(least * 100)} % of the requests were answered, at the least`] : []),
    ...(lapsed.every(({ open }) => open.clientShare >= CLIENT_BUSY) ? ["the load generator was busy itself"] : []),
  ];
  return parts.join(", ");
}
