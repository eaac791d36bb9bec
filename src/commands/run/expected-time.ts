/** The first line of a run: how much it measures, and about how long that takes. */

import { availableParallelism } from "node:os";
import { lastLook } from "../../compare/looks.js";
import { USUAL_PRECISION, usualPairs } from "../../compare/precision.js";
import { plural } from "../../messages/sentence.js";
import { rowsOf } from "../../plan/plan.js";
import { expectedRowSec, profileNamed, windowSec } from "../../plan/profile.js";
import { furtherMetricsOf, isTimed, type SelectedMetrics, USUAL_METRICS } from "../../plan/selected-metrics.js";
import type { Plan, PlannedRow, Profile } from "../../plan/types.js";
import { coarse } from "../../report/text/format.js";
import type { MeasuredBase } from "./against.js";
import { type PairedPlan, pairsToMeasure } from "./base-plan.js";

/**
 * Seconds of a pair whose sides share their time, of one at a rate, of one with wrk (which knows whole seconds only), of one with whole
 * rounds of messages, and what latency adds.
 */
const PAIR_SEC = { together: 2.2, atRate: 4.5, wrk: 7.3, rounds: 7, latency: 5 };

interface Start {
  readonly plan: Plan;
  /** Undefined where no row is measured in pairs from the start. */
  readonly paired: PairedPlan | undefined;
  /** Undefined where no base is measured. */
  readonly base: Pick<MeasuredBase, "budgetMinutes" | "precision"> | undefined;
  readonly metrics?: SelectedMetrics;
  /** `--profile quick`, as the user would write it. */
  readonly quickProfile: string;
}

/** `interfaces: 18 benchmarks, 54 cases, about 12 min, longer on a disturbed machine; --profile quick: about 1 min` */
export function startLine(start: Start): string {
  const { plan, metrics = USUAL_METRICS } = start;
  const names = plan.sets.map(({ name }) => name).join(", ");
  const rows = rowsOf(plan).length;
  const parts = [
    ...(isTimed(metrics) ? [timedText(start)] : [plural(rows, "benchmark")]),
    ...furtherMetricsOf(metrics).map((kind) => furtherText(kind, rows, start.paired !== undefined)),
  ];
  return `${names}: ${parts.join("; ")}`;
}

/** Seconds of both sides: a pair of memory samples, and a round of counting on two CPUs. */
export const ROUND_SEC = { memory: 15, instructions: 8 };
const FURTHER_ROUNDS = { memory: 3, instructions: 2 };

function furtherText(kind: keyof typeof ROUND_SEC, rows: number, paired: boolean): string {
  return `${kind}: about ${coarse(furtherSec(kind, rows, paired))}`;
}

function furtherSec(kind: keyof typeof ROUND_SEC, rows: number, paired: boolean): number {
  const atOnce = kind === "instructions" ? Math.max(1, availableParallelism() / 2) : 1;
  return (rows * FURTHER_ROUNDS[kind] * ROUND_SEC[kind] * (paired ? 1 : 0.5)) / atOnce;
}

function timedText({ plan, paired, base, quickProfile }: Start): string {
  if (!paired) return aloneText(rowsOf(plan), plan.profile, quickProfile);
  const alone = paired.alone.length > 0 ? [`without base: ${aloneText(paired.alone, plan.profile, quickProfile)}`] : [];
  return [pairsText(paired, base), ...alone].join("; ");
}

/** Seconds of rows that are measured without a base, set-up not included. */
export function rowsAloneSec(rows: readonly PlannedRow[], profile: Profile): number {
  return rows.reduce((sum, row) => sum + expectedRowSec(profile, row), 0);
}

/** Seconds that measuring usually takes, for other runs on this machine. Doubtful rows take longer. */
export function expectedRunSec({ plan, paired, base, metrics = USUAL_METRICS }: Omit<Start, "quickProfile">): number {
  const all = rowsOf(plan);
  const furtherMetrics = furtherMetricsOf(metrics).reduce(
    (sum, kind) => sum + furtherSec(kind, all.length, paired !== undefined),
    0,
  );
  if (!isTimed(metrics)) return furtherMetrics;
  if (!paired) return rowsAloneSec(all, plan.profile) + furtherMetrics;
  const { budgetMinutes = Number.POSITIVE_INFINITY, precision = USUAL_PRECISION } = base ?? {};
  const pairs = onePairEach(paired) * usualPairs(precision) + furtherMetrics;
  return Math.min(budgetMinutes * 60, pairs) + rowsAloneSec(paired.alone, plan.profile);
}

function aloneText(rows: readonly PlannedRow[], profile: Profile, quickProfile: string): string {
  const cases = rows.reduce((sum, { connections }) => sum + connections.length, 0);
  const size = `${plural(rows.length, "benchmark")}, ${plural(cases, "case")}, about ${coarse(rowsAloneSec(rows, profile))}`;
  if (profile.name === "quick") return size;
  const quick = profileNamed("quick");
  // One case a row: a smoke test tries no further concurrencies.
  const asQuick = (row: PlannedRow) => ({ ...row, windowSec: windowSec(quick, undefined), connections: [1] });
  const quickSec = rows.reduce((sum, row) => sum + expectedRowSec(quick, asQuick(row)), 0);
  // A disturbed window is measured again, and a warm-up takes its whole time.
  return `${size}, longer on a disturbed machine; ${quickProfile}: about ${coarse(quickSec)}`;
}

/** Seconds of one pair of an app that answers soon. */
export function expectedPairSec(row: PlannedRow): number {
  return loadedSec(row) + (row.latency ? PAIR_SEC.latency : 0);
}

function loadedSec({ generator, ratePerSec }: PlannedRow): number {
  if (ratePerSec !== undefined) return PAIR_SEC.atRate;
  if (generator === "websocket") return PAIR_SEC.rounds;
  return generator === "wrk" ? PAIR_SEC.wrk : PAIR_SEC.together;
}

function rowsInPairs(paired: PairedPlan): PlannedRow[] {
  return pairsToMeasure(paired).map(({ head }) => head);
}

/** Seconds of one pair of every row. */
function onePairEach(paired: PairedPlan): number {
  return rowsInPairs(paired).reduce((sum, row) => sum + expectedPairSec(row), 0);
}

/** What unchanged rows take, and what rows in doubt take at most. */
function pairsText(paired: PairedPlan, base: Start["base"]): string {
  const { budgetMinutes, precision = USUAL_PRECISION } = base ?? {};
  const unchanged = onePairEach(paired) * usualPairs(precision);
  const most = onePairEach(paired) * lastLook(precision.looks);
  const text = `${plural(rowsInPairs(paired).length, "benchmark")} in pairs with base`;
  if (budgetMinutes === undefined || budgetMinutes * 60 >= most)
    return `${text}, about ${coarse(unchanged)}, ${coarse(most)} if all are in doubt`;
  const usual = budgetMinutes * 60 < unchanged ? "" : `, about ${coarse(unchanged)}`;
  return `${text}${usual}, at most ${budgetMinutes} min`;
}
