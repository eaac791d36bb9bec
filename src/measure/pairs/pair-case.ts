/** The pairs of a row as cases, one for each side. */
import type { Side } from "../../plan/types.js";
import type { PairSlice } from "../../results/comparison.js";
import type { CaseResult } from "../../results/schema.js";
import { isClientBound } from "../client-bound.js";
import { type Disturbance, isDisturbed, OTHERS_LIMIT, spreadOf } from "../disturbance.js";
import type { CpuSplit } from "../machine/cpus.js";
import { startedFields } from "../row-results.js";
import { summarise } from "../summary.js";
import type { MeasuredSlice, PairSides } from "./pair.js";
import type { Failure } from "./schedule.js";

export interface PairedCase {
  readonly sides: PairSides;
  readonly connections: number;
  /** Of both sides, in the order of time. */
  readonly slices: readonly MeasuredSlice[];
  readonly wallSec: number;
}

/** Without the slices at a fixed rate, which would lower the throughput. */
function slicesOf({ slices }: Pick<PairedCase, "slices">, side: Side): readonly MeasuredSlice[] {
  return slices.filter(({ paired }) => paired.side === side && paired.open === undefined);
}

/** Whether the load generator was the limit on one side at least. */
export function pairsClientBound(paired: PairedCase, cpus: CpuSplit): boolean {
  return (["base", "head"] as const).some((side) => sideClientBound(paired, side, cpus));
}

function sideClientBound(paired: PairedCase, side: Side, cpus: CpuSplit): boolean {
  const slices = slicesOf(paired, side);
  const busy = slices.some(({ paired: { othersShare } }) => othersShare > OTHERS_LIMIT);
  return isClientBound(
    slices.map(({ slice }) => slice),
    cpus,
    paired.sides[side].row.waits || busy,
  );
}

/** One side's case over all slices, or the failure that ended the row. */
export function pairedCase(paired: PairedCase, side: Side, cpus: CpuSplit, failure?: Failure): CaseResult[] {
  const { row, ready } = paired.sides[side];
  const measured = slicesOf(paired, side);
  const slices = measured.map(({ slice }) => slice);
  const fields = startedFields(row, ready, side, paired.connections, measured.at(-1)?.generatorCommand);
  if (failure?.side === side) {
    const log = failure.log === "" ? {} : { log: failure.log };
    return [{ ...fields, state: "failed", reason: failure.reason, ...log, ...(slices.length > 0 && { slices }) }];
  }
  const peakMemoryMiB = Math.max(0, ...measured.map((one) => one.peakMemoryMiB));
  const clientBound = sideClientBound(paired, side, cpus);
  const summary = summarise(slices, { peakMemoryMiB, clientBound });
  if (!summary) return [];
  const shares = sharesOf(measured);
  const spread = spreadOf(slices);
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

/** Means over the slices of what others took. */
function sharesOf(measured: readonly MeasuredSlice[]): Disturbance {
  const mean = (share: (slice: PairSlice) => number) =>
    measured.reduce((sum, { paired }) => sum + share(paired), 0) / Math.max(1, measured.length);
  return { others: mean(({ othersShare }) => othersShare), steal: mean(({ stealShare = 0 }) => stealShare) };
}
