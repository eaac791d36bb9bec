/** One load of a side in several blocks of turns: what each block had of it. */
import { toFailures } from "../generators/oha-output.js";
import { type Meters, shareOfOthers, type Window } from "../window.js";

/** What one side had in one block. */
export interface Part {
  /** In which its load generator ran or its server still answered. */
  seconds: number;
  /** Of these: after its load generator was stopped. */
  drainSec: number;
  /** How often it was stopped. */
  stops: number;
  /** That crossed the loopback device. */
  bytes: number;
  /** Of the load generator. */
  clientCpuSec: number;
}

/** What shows how many requests there were. */
export type Work = "bytes" | "clientCpuSec";

interface Cut {
  readonly by: Work;
  readonly handshakes: boolean;
  /** Requests that the server still has to answer when its load generator is stopped. */
  readonly underWay: number;
}

interface OwnBlock extends Part {
  readonly meters: Meters;
  readonly serverCpuSec: number;
  /** CPU seconds of both load generators. */
  readonly programCpuSec: number;
}

/**
 * Cuts the window of a whole load into those of its blocks. The load generator counts its requests from its start to its end. Each
 * block gets its share of them by what shows its work. Requests around the blocks, while connections were made, count nowhere;
 * failures do.
 */
export function cutWindow(
  whole: Window,
  blocks: readonly OwnBlock[],
  around: readonly Part[],
  { by, handshakes, underWay }: Cut,
): Window[] {
  const { slice } = whole;
  const units = [by, "clientCpuSec"] as const;
  const unit = units.find((one) => [...blocks, ...around].some((part) => part[one] > 0)) ?? "seconds";
  const work = blocks.map((block) => block[unit]);
  const perSec = sumOf(work) / sumOf(blocks.map(({ seconds }) => seconds));
  // Handshakes have bytes and CPU time too. There were no more requests in a second than in the blocks.
  const most = (part: Part) => (handshakes ? perSec * part.seconds : Number.POSITIVE_INFINITY);
  const beyond = around.map((part) => Math.min(part[unit], most(part)));
  const requests = sumOf(work) === 0 ? [] : wholeParts(slice.requests, sharesOf([...work, ...beyond]));
  const shares = sharesOf(work);
  const failures = Object.entries(slice.failures.byKind).map(
    ([kind, count]) => [kind, wholeParts(count, shares)] as const,
  );
  const busySec = busySeconds(blocks, sumOf(requests.slice(0, blocks.length)), underWay);
  return blocks.map(({ meters, programCpuSec, serverCpuSec, clientCpuSec }, i) => ({
    ...whole,
    othersShare: shareOfOthers(meters, programCpuSec),
    slice: {
      // Own fields first: an object that begins with a spread gets a hidden class of its own in V8, for as long as it lives.
      seconds: busySec[i] ?? 0,
      requests: requests[i] ?? 0,
      failures: toFailures(failures.map(([kind, parts]) => [kind, parts[i] ?? 0])),
      serverCpuSec,
      clientCpuSec,
      ...(meters.steal === undefined ? {} : { stealShare: meters.steal }),
    },
  }));
}

/**
 * The seconds that each block's requests take at the rate of the turns. When its load generator is stopped a server still answers what is
 * under way, for a time that nobody sees: counted as long as the wait for it, or as one mean latency of both sides, it hides a quarter of
 * a change of throughput where a turn has three requests. So the rate is that of the other requests, in the time until the stop.
 * Where they are fewer than those under way, the time of the wait counts.
 */
function busySeconds(blocks: readonly OwnBlock[], requests: number, underWay: number): number[] {
  const late = underWay * sumOf(blocks.map(({ stops }) => stops));
  const inTurns = blocks.map(({ seconds, drainSec }) => seconds - drainSec);
  if (requests <= 2 * late) return blocks.map(({ seconds }) => seconds);
  const perRequest = sumOf(inTurns) / (requests - late);
  return blocks.map(({ stops }, i) => (inTurns[i] ?? 0) + stops * underWay * perRequest);
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

function sharesOf(weights: readonly number[]): number[] {
  const sum = sumOf(weights);
  return weights.map((weight) => (sum === 0 ? 1 / weights.length : weight / sum));
}

/** Whole numbers whose sum is the total. */
function wholeParts(total: number, shares: readonly number[]): number[] {
  let share = 0;
  let given = 0;
  return shares.map((own) => {
    share += own;
    const upTo = Math.round(total * Math.min(1, share));
    const part = upTo - given;
    given = upTo;
    return part;
  });
}
