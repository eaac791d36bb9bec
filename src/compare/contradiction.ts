/**
 * Changes that the machine's noise makes more often than code does. Each of them has to be confirmed by pairs that had no part in finding it:
 * - Throughput that changed while CPU per request did not. A server that is as fast as before takes as long per request, unless it waits.
 * - Latency whose pairs differ much. A stall of the machine of some milliseconds makes a p99, and the next stalls come from the same load, so
 *   a few pairs in a row may agree by luck.
 */
import { confirmingP, type MeasuredRow, type MetricTest } from "./metric-test.js";
import { signed } from "./partly-slower.js";
import { direction, STRICT_LEVEL } from "./verdict.js";

/** CPU per request agrees from this share of throughput's change on. */
const AGREEING_SHARE = 1 / 3;

/**
 * Latency of pairs that differ by more than this many times `pairSd` is noisy. In evaluation/recordings/2026-11-27-latency*.json.gz the p99 of granian differs by
 * `pairSd` in quiet, that of the other servers by 3 to 5 times as much, and beside a neighbour all do by 3 to 14 times.
 */
const NOISY = 1.5;

/** A larger change, on logarithms, needs no confirmation. The false ones in 3,200 draws of identical rows beside a neighbour were of 6 to 36 %. */
const LARGE = Math.log(1.5);

/**
 * The p-value that the later pairs of a noisy latency have to reach. In two draws of 1,600 identical rows beside a neighbour 0.4 and 0.9 % were false with
 * it, and 2.2 % without it. A level of 0.01 left 0.4 and 1.0 %.
 */
const LATER_LEVEL = 0.05;

/** The same tests, with the p-value of the confirmation where one is needed. */
export function withConfirmations<Row extends MeasuredRow>(tests: readonly MetricTest<Row>[]): ConfirmedTest<Row>[] {
  const cpu = new Map(tests.filter(isCpu).map((test) => [test.row, test]));
  return tests.map((test) => {
    const measurement = cpu.get(test.row);
    if (test.p > STRICT_LEVEL) return { test, unconfirmed: undefined };
    if (isNoisyLatency(test, measurement)) return confirmed(test, LATER_LEVEL, latencyNote);
    if (!measurement || !isContradicted(test, measurement)) return { test, unconfirmed: undefined };
    return confirmed(test, STRICT_LEVEL, () => throughputNote(test, measurement));
  });
}

/** @param level that the p-value of the later pairs has to reach */
function confirmed<Row extends MeasuredRow>(
  test: MetricTest<Row>,
  level: number,
  note: (test: MetricTest) => string,
): ConfirmedTest<Row> {
  const later = confirmingP(test, STRICT_LEVEL);
  if (later <= level)
    return { test: { ...test, p: Math.max(test.p, Math.min(later, STRICT_LEVEL)) }, unconfirmed: undefined };
  return { test: { ...test, p: Math.max(test.p, later) }, unconfirmed: note(test) };
}

export interface ConfirmedTest<Row extends MeasuredRow> {
  readonly test: MetricTest<Row>;
  /** What was seen, where it was not confirmed. */
  readonly unconfirmed: string | undefined;
}

function isCpu({ metric }: MetricTest): boolean {
  return metric.name === "cpuPerRequest";
}

/** Where the load generator was the limit, other rules apply to throughput. */
function isContradicted(test: MetricTest, cpu: MetricTest): boolean {
  const { metric, row, effect } = test;
  if (metric.name !== "throughput" || row.clientBound) return false;
  return !agrees(test, cpu) || Math.abs(cpu.effect.logRatio) < AGREEING_SHARE * Math.abs(effect.logRatio);
}

function isNoisyLatency(test: MetricTest, cpu: MetricTest | undefined): boolean {
  const { metric, effect, last } = test;
  const pairSd = effect.standardError * Math.sqrt(last.look.pairs);
  if (metric.percentile === undefined || pairSd <= NOISY * metric.pairSd) return false;
  if (Math.abs(effect.logRatio) > LARGE) return false;
  return cpu === undefined || cpu.p > STRICT_LEVEL || !agrees(test, cpu);
}

function agrees(one: MetricTest, other: MetricTest): boolean {
  return direction(one.metric, one.effect.logRatio) === direction(other.metric, other.effect.logRatio);
}

const NOTE_END = "noise of the machine does that too, and no later pairs confirm it";

/** It rests on the other rows of the report too, so it is made anew when a row is judged again. */
export function isUnconfirmedNote(note: string): boolean {
  return note.endsWith(NOTE_END);
}

function throughputNote(throughput: MetricTest, cpu: MetricTest): string {
  return `throughput changed by ${change(throughput)}, CPU per request did not (${change(cpu)}): ${NOTE_END}`;
}

function latencyNote(test: MetricTest): string {
  return `${test.metric.title} changed by ${change(test)}, and its pairs differ much: ${NOTE_END}`;
}

function change({ effect }: MetricTest): string {
  return signed(Math.expm1(effect.logRatio));
}
