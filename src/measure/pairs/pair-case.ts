/** The pairs of a row as cases, one for each side. */
import { median } from "../../compare/median.js";
import type { PlannedRow, Side } from "../../plan/types.js";
import type { PairSlice } from "../../results/comparison.js";
import type { CaseResult, Summary } from "../../results/schema.js";
import { clientCpus, isClientBound } from "../client-bound.js";
import { type Disturbance, isDisturbed, OTHERS_LIMIT, spreadOf } from "../disturbance.js";
import type { CpuSplit } from "../machine/cpus.js";
import { mayIdle } from "../pacing.js";
import { startedFields } from "../row-results.js";
import { medianStart } from "../startup/starts.js";
import { summarise } from "../summary.js";
import type { MeasuredSlice } from "./pair.js";
import type { PairSides } from "./pair-servers.js";
import type { Failure } from "./schedule.js";

export interface PairedCase {
  readonly sides: PairSides;
  readonly connections: number;
  /** Of both sides, in the order of time. */
  readonly slices: readonly MeasuredSlice[];
  readonly wallSec: number;
}

type Loop = "closed" | "open";

/** Slices in a closed loop, or those in an open one, at a fixed rate. */
function slicesOf({ slices }: Pick<PairedCase, "slices">, side: Side, loop: Loop): readonly MeasuredSlice[] {
  return slices.filter(({ paired }) => paired.side === side && (paired.open !== undefined) === (loop === "open"));
}

/** A slice together shows what a server does while it has half of the CPU time. */
function figuresFrom(measured: readonly MeasuredSlice[]): readonly MeasuredSlice[] {
  return measured.filter(({ paired }) => paired.together === undefined);
}

/** What a case shows: a row at a share of the maximum shows its figures at that rate, other rows those of the closed loop. */
function shownLoop({ rateShare }: PlannedRow): Loop {
  return rateShare === undefined ? "closed" : "open";
}

/** Whether the load generator was the limit of the closed loop on one side at least. */
export function pairsClientBound(paired: PairedCase, cpus: CpuSplit): boolean {
  return (["base", "head"] as const).some((side) => loopClientBound(paired, side, "closed", cpus));
}

function loopClientBound(paired: PairedCase, side: Side, loop: Loop, cpus: CpuSplit): boolean {
  const measured = slicesOf(paired, side, loop);
  const counted = figuresFrom(measured);
  const slices = counted.map(({ slice }) => slice);
  const busy = sharesOf(measured).others > OTHERS_LIMIT;
  const { row } = paired.sides[side];
  const { waits, ratePerSec, rateShare } = row;
  // The closed loop of a row with a rate share is at full load.
  const idles = mayIdle({ waits, ratePerSec, rateShare: loop === "closed" ? undefined : rateShare });
  const inFlight = { connections: paired.connections, streams: row.streams };
  return isClientBound(slices, clientCpus(row, cpus, serviceCpusOf(counted)), inFlight, idles || busy);
}

/** Mean over the slices; undefined where no service shares the load generator's CPUs. */
function serviceCpusOf(measured: readonly MeasuredSlice[]): number | undefined {
  const known = measured.flatMap(({ serviceCpus }) => serviceCpus ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, cpus) => sum + cpus, 0) / known.length;
}

/** One side's case over all slices, or the failure that ended the row. */
export function pairedCase(paired: PairedCase, side: Side, cpus: CpuSplit, failure?: Failure): CaseResult[] {
  const { row, ready } = paired.sides[side];
  const loop = shownLoop(row);
  const measured = slicesOf(paired, side, loop);
  const slices = measured.map(({ slice }) => slice);
  const last = measured.at(-1);
  // The command that the figures are of.
  const { generatorCommand } = figuresFrom(measured).at(-1) ?? last ?? {};
  const fields = startedFields(row, ready, side, paired.connections, generatorCommand, last?.answers);
  if (failure?.side === side) {
    const log = failure.log === "" ? {} : { log: failure.log };
    return [{ ...fields, state: "failed", reason: failure.reason, ...log, ...(slices.length > 0 && { slices }) }];
  }
  const own = paired.slices.filter((one) => one.paired.side === side);
  const peakMemoryMiB = Math.max(0, ...own.map((one) => one.peakMemoryMiB));
  const clientBound = loopClientBound(paired, side, loop, cpus);
  const counted = figuresFrom(measured).map(({ slice }) => slice);
  const summary = summarise(counted, {
    // Slices together have failures, and no latencies.
    timed: slices,
    peakMemoryMiB,
    clientBound,
    bytesPerRequest: last?.bytesPerRequest,
    ...startsOf(own),
    ...idleOf(own),
  });
  if (!summary) return loop === "open" && slices.length > 0 ? [unansweredAtRate(fields, measured)] : [];
  const shares = sharesOf(measured);
  const spread = spreadOf(counted);
  return [
    {
      ...fields,
      state: "completed",
      summary,
      slices,
      othersShare: shares.others,
      ...(spread !== undefined && { spread }),
      ...(isDisturbed(shares) && { disturbed: true }),
      wallSec: paired.wallSec,
    },
  ];
}

function startsOf(measured: readonly MeasuredSlice[]): Pick<Summary, "startup"> {
  const starts = measured.flatMap(({ paired }) => paired.start ?? []);
  return starts.length === 0 ? {} : { startup: medianStart(starts) };
}

/** Medians over the pairs. */
function idleOf(measured: readonly MeasuredSlice[]): Pick<Summary, "idle"> {
  const idles = measured.flatMap(({ idle }) => idle ?? []);
  if (idles.length === 0) return {};
  const known = idles.flatMap(({ kibPerConnection }) => kibPerConnection ?? []);
  const open = Math.min(...idles.map((idle) => idle.open));
  return { idle: { open, ...(known.length > 0 && { kibPerConnection: median(known) }) } };
}

/** A server that answers nothing by a clock, although it answers in a closed loop. */
function unansweredAtRate(fields: ReturnType<typeof startedFields>, measured: readonly MeasuredSlice[]): CaseResult {
  const rate = measured[0]?.paired.open?.ratePerSec ?? 0;
  return { ...fields, state: "failed", reason: `no request succeeded at ${rate} requests per second` };
}

/** Means over the slices of what others took. */
function sharesOf(measured: readonly MeasuredSlice[]): Disturbance {
  const mean = (share: (slice: PairSlice) => number) =>
    measured.reduce((sum, { paired }) => sum + share(paired), 0) / Math.max(1, measured.length);
  return { others: mean(({ othersShare }) => othersShare), steal: mean(({ stealShare = 0 }) => stealShare) };
}
