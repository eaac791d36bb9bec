/**
 * Throughput that changed while CPU per request did not. A server that is as fast as before takes as long per request, unless
 * it waits; noise of the machine makes this picture far more often than code does. So such a change has to be confirmed by
 * pairs that had no part in finding it.
 */
import { confirmingP, type MeasuredRow, type MetricTest } from "./metric-test.js";
import { signed } from "./partly-slower.js";
import { direction, STRICT_LEVEL } from "./verdict.js";

/** CPU per request agrees from this share of throughput's change on. */
const AGREEING_SHARE = 1 / 3;

/** The same tests, with the p-value of the confirmation where throughput needs one. */
export function withConfirmations<Row extends MeasuredRow>(tests: readonly MetricTest<Row>[]): ConfirmedTest<Row>[] {
  const cpu = new Map(tests.filter(isCpu).map((test) => [test.row, test]));
  return tests.map((test) => {
    const witness = cpu.get(test.row);
    if (!witness || !isContradicted(test, witness)) return { test, unconfirmed: undefined };
    const p = Math.max(test.p, confirmingP(test, STRICT_LEVEL));
    return { test: { ...test, p }, unconfirmed: p > STRICT_LEVEL ? noteOf(test, witness) : undefined };
  });
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
  const { metric, row, effect, p } = test;
  if (metric.name !== "throughput" || row.clientBound || p > STRICT_LEVEL) return false;
  const agrees = direction(metric, effect.logRatio) === direction(cpu.metric, cpu.effect.logRatio);
  return !agrees || Math.abs(cpu.effect.logRatio) < AGREEING_SHARE * Math.abs(effect.logRatio);
}

const NOTE_START = "throughput changed by ";

/** It rests on the other rows of the report too, so it is made anew when a row is judged again. */
export function isUnconfirmedNote(note: string): boolean {
  return note.startsWith(NOTE_START);
}

function noteOf(throughput: MetricTest, cpu: MetricTest): string {
  const changes = [throughput, cpu].map(({ effect }) => signed(Math.expm1(effect.logRatio)));
  return `${NOTE_START}${changes[0]}, CPU per request did not (${changes[1]}): noise of the machine does that too, and no later pairs confirm it`;
}
