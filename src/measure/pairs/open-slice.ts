/**
 * Latency at a fixed rate. In a closed loop a slow answer keeps its connection from sending, so the requests that would
 * have waited are never sent and never counted: "coordinated omission" (Gil Tene, "How NOT to Measure Latency";
 * HdrHistogram and wrk2 were made for it). Here requests are due by a clock, at one rate for both sides, and a latency
 * begins when its request is due, not when a connection is free for it (oha: `-q` with `--latency-correction`).
 *
 * What oha 1.16 does there (its src/client.rs): requests fall due in bursts, once a millisecond; what is still queued at
 * the end is dropped, which shows as fewer answers than requests that were due; and the first request of each connection
 * opens it, which is why the beginning does not count.
 *
 * Noise is one-sided: a neighbour that stops server or client for 5 ms in half a second delays 1 % of the requests, and
 * the p99 then shows the neighbour. So a slice is cut into windows that are just long enough for a p99, and the quieter ones
 * count. With four slices of 0.4 s a side the mean p99 of all windows of 0.1 s differed by 17 % between two processes of one server, the lowest one of a
 * side by 12 %, and the quieter ones of windows of 0.05 s, in the better half of the slices, by 9 % (35 pairs of uvicorn and granian at several
 * rates). The price: stalls that the server causes itself, but in few windows, are not in these figures.
 */
import { lowerMedian } from "../../compare/median.js";
import type { OpenSlice, PairSlice } from "../../results/comparison.js";
import type { Slice } from "../../results/schema.js";
import type { Load, Measured } from "../generators/contract.js";
import { P99_REQUESTS } from "../generators/open-recording.js";
import { maximumRate, rateAt } from "../rate.js";

/** Of base's throughput: queues do not grow without end, and the server is busy enough that requests wait for each other. */
const RATE_SHARE = 0.6;
/** More requests than a p99 needs are due in a window, because some may come late. */
const WINDOW_REQUESTS = 1.1 * P99_REQUESTS;
const WINDOW_MIN_SEC = 0.04;
const WINDOW_MAX_SEC = 10;
/** A slice has at least two windows, unless they are long. */
const COUNTED_MIN_SEC = 0.4;
const COUNTED_USUAL_MAX_SEC = 1.5;
/** The first requests open the connections, one each; then the server needs a moment to settle. */
const SETTLE_MIN_SEC = 0.1;
const SETTLE_MAX_SEC = 3;
const SETTLE_SHARE = 1.5;

interface Loaded {
  readonly paired: PairSlice;
  readonly slice: Pick<Slice, "clientCpuSec">;
}

/**
 * The rate of a row, from the closed-loop slices of base alone in its first pair: 60 % (or the row's own share) of base's throughput, or of what the load
 * generator can send at a fixed rate where that is less. Undefined where base answered nothing.
 * @param usable CPUs that the load generator can keep busy
 */
export function openRate(slices: readonly Loaded[], usable: number, share = RATE_SHARE): number | undefined {
  const maxima = slices
    .filter(({ paired: { side, open, together, requests } }) => {
      return side === "base" && open === undefined && !together && requests > 0;
    })
    .map(({ paired, slice: { clientCpuSec } }) => maximumRate({ ...paired, clientCpuSec }, usable));
  return maxima.length === 0 ? undefined : rateAt(share, lowerMedian(maxima));
}

/** The rate of a row's earlier slices; undefined before its first pair. */
export function fixedRate(slices: readonly Pick<Loaded, "paired">[]): number | undefined {
  return slices.find(({ paired }) => paired.open)?.paired.open?.ratePerSec;
}

/** The same load at a fixed rate. It waits for its last requests: cutting off a slow one would leave its latency out. */
export function openLoad(load: Load, ratePerSec: number): Load & Required<Pick<Load, "open">> {
  const connectSec = (SETTLE_SHARE * load.connections) / ratePerSec;
  const settleSec = Math.min(SETTLE_MAX_SEC, Math.max(SETTLE_MIN_SEC, connectSec));
  const windowSec = Math.min(WINDOW_MAX_SEC, Math.max(WINDOW_MIN_SEC, WINDOW_REQUESTS / ratePerSec));
  const twoSec = Math.min(COUNTED_USUAL_MAX_SEC, Math.max(COUNTED_MIN_SEC, 2 * windowSec));
  // Rounded up, so that the last window is whole.
  const seconds = Math.ceil((settleSec + Math.max(windowSec, twoSec)) * 1000 - 1e-6) / 1000;
  return { ...load, seconds, open: { ratePerSec, settleSec, windowSec }, waitOngoing: true, record: false };
}

/** The latency figures of a slice at a fixed rate. @param usable CPUs that the load generator can keep busy */
export function openFigures(
  load: ReturnType<typeof openLoad>,
  outcome: Pick<Measured, "failures" | "open" | "clientCpuSec" | "seconds">,
  usable: number,
): OpenSlice {
  const { ratePerSec, settleSec, windowSec } = load.open;
  const { open, failures, clientCpuSec, seconds } = outcome;
  const { p50, p99 } = open?.latencyMs ?? {};
  return {
    ratePerSec,
    due: Math.round(ratePerSec * (load.seconds - settleSec)),
    answered: open?.answered ?? 0,
    failures: failures.total,
    windowSec,
    ...(p50 !== undefined && { latencyMs: { p50, ...(p99 !== undefined && { p99 }) } }),
    clientShare: seconds > 0 ? Math.min(1, clientCpuSec / (seconds * usable)) : 0,
  };
}
