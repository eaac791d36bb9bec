/** How evenly one window of load went, seen from outside the load generator: the bytes that cross the loopback device. */
import { relativeDeviation } from "./disturbance.js";
import { readLoopbackBytes } from "./machine/loopback.js";

/** A window is too short for more, and fewer show no spread. */
const PARTS = 10;
const PARTS_MIN = 4;
/** Within shorter parts every server is uneven: a collection of garbage, a burst of answers. */
const PART_SEC_MIN = 0.5;
/** Fewer answers in a part make a spread by themselves: a server of five requests per second has four or six of them. */
const ANSWERS_PER_PART_MIN = 100;

interface Reading {
  readonly atMs: number;
  readonly bytes: number;
}

/**
 * Relative standard deviation of the bytes per second between readings; undefined where fewer than four parts are left. The parts
 * before the load, and the one in which it started, do not count.
 */
export function spreadOfReadings(readings: readonly Reading[]): number | undefined {
  const rates = readings.slice(1).flatMap((reading, i) => {
    const { atMs, bytes } = readings[i] ?? reading;
    return reading.atMs > atMs ? [(reading.bytes - bytes) / (reading.atMs - atMs)] : [];
  });
  const median = rates.toSorted((a, b) => a - b)[Math.floor(rates.length / 2)] ?? 0;
  const started = rates.findIndex((rate) => rate > median / 2);
  const loaded = started < 0 ? [] : rates.slice(started + 1);
  return loaded.length < PARTS_MIN ? undefined : relativeDeviation(loaded);
}

/**
 * Reads at every tenth of a window. Answers of one size make bytes a measure of requests; other traffic on loopback adds to the
 * spread.
 * @returns undefined for a window of less than five seconds
 */
export function watchThroughput(seconds: number) {
  if (seconds / PARTS < PART_SEC_MIN) return undefined;
  const startedMs = performance.now();
  const readings: Reading[] = [];
  let timer: NodeJS.Timeout | undefined;
  const read = () => {
    const bytes = readLoopbackBytes();
    if (bytes === undefined) return;
    readings.push({ atMs: performance.now(), bytes });
    if (readings.length > PARTS) return;
    const next = startedMs + (readings.length * seconds * 1000) / PARTS;
    timer = setTimeout(read, Math.max(0, next - performance.now()));
  };
  read();
  return {
    /** Stops the readings. @param answers of the whole window @returns undefined where they are too few */
    end(answers: number): number | undefined {
      clearTimeout(timer);
      return answers < PARTS * ANSWERS_PER_PART_MIN ? undefined : spreadOfReadings(readings);
    },
  };
}
