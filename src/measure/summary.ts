/** From slices to the figures of a case. */
import type { Failures, LatencyMs, Slice, Summary } from "../results/schema.js";
import { toFailures } from "./generators/oha-output.js";

const US_PER_SEC = 1e6;
const OPTIONAL = ["p60", "p70", "p80", "p999"] as const;
const ALWAYS = ["mean", "p50", "p75", "p90", "p95", "p99"] as const;

function sum(slices: readonly Slice[], value: (slice: Slice) => number): number {
  return slices.reduce((total, slice) => total + value(slice), 0);
}

function mergeFailures(slices: readonly Slice[]): Failures {
  return toFailures(slices.flatMap((slice) => Object.entries(slice.failures.byKind)));
}

function mergeLatency(slices: readonly Slice[]): LatencyMs | undefined {
  const parts = slices.flatMap(({ latencyMs, requests }) =>
    latencyMs === undefined || requests === 0 ? [] : [{ latencyMs, requests }],
  );
  const requests = parts.reduce((total, part) => total + part.requests, 0);
  if (requests === 0) return undefined;
  const weighted = (value: (latency: LatencyMs) => number): number =>
    parts.reduce((total, part) => total + value(part.latencyMs) * part.requests, 0) / requests;
  const merged: LatencyMs = {
    mean: 0,
    p50: 0,
    p75: 0,
    p90: 0,
    p95: 0,
    p99: 0,
    max: Math.max(...parts.map((part) => part.latencyMs.max)),
  };
  for (const name of ALWAYS) merged[name] = weighted((latency) => latency[name]);
  for (const name of OPTIONAL) {
    if (parts.every((part) => part.latencyMs[name] !== undefined)) merged[name] = weighted((one) => one[name] ?? 0);
  }
  return merged;
}

/** Messages per second of a broadcast; undefined where the slices are none. Combined: all that were sent or received. */
function messageRates(slices: readonly Slice[], received: number, seconds: number): Summary["messages"] {
  const sendSec = sum(slices, (slice) => slice.messages?.sendSec ?? 0);
  if (sendSec === 0) return undefined;
  const sent = sum(slices, (slice) => slice.messages?.sent ?? 0);
  return {
    sentPerSec: sent / sendSec,
    receivedPerSec: received / seconds,
    combinedPerSec: (sent + received) / seconds,
  };
}

/** Mean of the medians of the slices that have one, weighted by requests. */
function mergeFirstByte(slices: readonly Slice[]): number | undefined {
  const timed = slices.filter(({ firstByteMs, requests }) => firstByteMs !== undefined && requests > 0);
  if (timed.length === 0) return undefined;
  return sum(timed, (slice) => (slice.firstByteMs ?? 0) * slice.requests) / sum(timed, ({ requests }) => requests);
}

/** What a summary is made from, beside the slices. */
interface Machine {
  /** Slices whose latencies, first bytes and failures count; undefined: those of the other figures. */
  readonly timed?: readonly Slice[];
  readonly peakMemoryMiB: number;
  readonly clientBound: boolean;
  /** In the bodies of a request and its right answer; undefined where it is not known. */
  readonly bytesPerRequest?: number | undefined;
  readonly idle?: Summary["idle"];
  readonly startup?: Summary["startup"];
}

/**
 * The figures of a case. Throughput is all successes over all seconds, CPU per request all CPU over all successes.
 * Percentiles of one slice are exact; of several they are the mean of the slices' own, weighted by requests.
 * @returns undefined where no request succeeded
 */
export function summarise(slices: readonly Slice[], machine: Machine): Summary | undefined {
  const requests = sum(slices, (slice) => slice.requests);
  const seconds = sum(slices, (slice) => slice.seconds);
  const { timed = slices } = machine;
  const latencyMs = mergeLatency(timed);
  if (latencyMs === undefined || seconds === 0 || requests === 0) return undefined;
  const serverCpuSec = sum(slices, (slice) => slice.serverCpuSec);
  const messages = messageRates(slices, requests, seconds);
  const firstByteMs = mergeFirstByte(timed);
  const { bytesPerRequest, idle, startup } = machine;
  return {
    requests,
    requestsPerSec: requests / seconds,
    failures: mergeFailures(timed),
    latencyMs,
    cpuPerRequestUs: (serverCpuSec / requests) * US_PER_SEC,
    peakMemoryMiB: machine.peakMemoryMiB,
    clientBound: machine.clientBound,
    serverCpu: serverCpuSec / seconds,
    clientCpu: sum(slices, (slice) => slice.clientCpuSec) / seconds,
    ...(messages === undefined ? {} : { messages }),
    ...(firstByteMs !== undefined && { firstByteMs }),
    ...(bytesPerRequest !== undefined && { bodyBytesPerSec: (bytesPerRequest * requests) / seconds }),
    ...(idle && { idle }),
    ...(startup && { startup }),
  };
}
