/** Which rows are sampled after the pairs: those that changed, and those that the user names. */
import { InputError } from "../../errors.js";
import type { Planned } from "../../plan/plan.js";
import { namesRow, selectSets, splitSelectors } from "../../plan/select.js";
import type { ComparedRow } from "../../results/comparison.js";
import { type Against, measuredBase } from "./against.js";
import type { PairedTarget } from "./paired-running.js";

export type ProfileRows =
  | { readonly kind: "none" }
  /** `named` are sampled whether they changed or not. */
  | { readonly kind: "changed"; readonly named: readonly string[] };

export const CHANGED_ROWS: ProfileRows = { kind: "changed", named: [] };
const NONE = "none";
/** A row takes some 50 seconds. */
const CHANGED_MAX = 5;

/** @throws InputError for `none` together with a row */
export function parseProfileRows(values: readonly string[], option: string): ProfileRows {
  const named = splitSelectors(values);
  if (!named.includes(NONE)) return { kind: "changed", named };
  if (named.length > 1)
    throw new InputError(
      `invalid ${option} "${named.join(",")}": ${NONE} excludes all rows; give rows, or ${NONE} alone`,
    );
  return { kind: "none" };
}

/** Whether rows are named although no pairs are measured. */
export function namesRowsWithoutBase(profileRows: ProfileRows | undefined, against: Against): boolean {
  return profileRows?.kind === "changed" && profileRows.named.length > 0 && measuredBase(against) === undefined;
}

/** @throws InputError for a name that none of the selected rows has, with the nearest right one */
export function checkProfileRows(profileRows: ProfileRows | undefined, { sets }: Planned, option: string): void {
  if (profileRows?.kind !== "changed") return;
  try {
    selectSets(sets, profileRows.named);
  } catch (error) {
    if (error instanceof InputError) throw new InputError(`${option}: ${error.message}`);
    throw error;
  }
}

interface ChosenRows<Row> {
  readonly sampled: readonly Row[];
  /** Changed too, but beyond the number that is sampled without being named. */
  readonly leftOut: readonly Row[];
}

/** The named rows, then the changed ones: worse before better, larger changes first. */
export function rowsToProfile<Row extends Pick<PairedTarget, "compared" | "control">>(
  rows: readonly Row[],
  asked: ProfileRows,
): ChosenRows<Row> {
  if (asked.kind === "none") return { sampled: [], leftOut: [] };
  const isNamed = ({ compared }: Row) => asked.named.length > 0 && namesRow(asked.named, compared.id);
  const changed = rows
    .filter((row) => !isNamed(row) && !row.control && isProven(row.compared))
    .toSorted((a, b) => rank(a) - rank(b));
  return { sampled: [...rows.filter(isNamed), ...changed.slice(0, CHANGED_MAX)], leftOut: changed.slice(CHANGED_MAX) };
}

/** Ids of rows that the user named, but that have no pairs: identical on both sides, failed, out of budget. */
export function notProfiled(
  planned: readonly { readonly id: string }[],
  rows: readonly Pick<PairedTarget, "compared">[],
  asked: ProfileRows,
): string[] {
  if (asked.kind === "none" || asked.named.length === 0) return [];
  const paired = new Set(rows.map(({ compared }) => compared.id));
  const named = planned.filter(({ id }) => namesRow(asked.named, id) && !paired.has(id));
  return [...new Set(named.map(({ id }) => id))];
}

export const LEFT_OUT = `only the ${CHANGED_MAX} benchmarks with the largest changes were profiled`;

function isProven({ verdict }: ComparedRow): boolean {
  return verdict === "worse" || verdict === "better";
}

/** By the metrics that the verdict stands on: an inconclusive one may differ by much more. */
function rank({ compared: { verdict, metrics } }: { readonly compared: ComparedRow }): number {
  const changes = Object.values(metrics).flatMap((metric) =>
    metric.verdict === verdict ? Math.abs(metric.change) : [],
  );
  return (verdict === "worse" ? 0 : 1e6) - Math.max(0, ...changes);
}
