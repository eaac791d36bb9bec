import { failedMeasurements } from "../../compare/further-metrics/problems.js";
import type { Results } from "../../results/schema.js";
import type { FailOn } from "./options.js";

/** 3 when nothing was measured, 1 when the user asked to fail on rows that are proven worse or failed, else 0. */
export function exitCodeOf(results: Results, failOn: FailOn): number {
  if (!isAnythingMeasured(results)) return 3;
  // A suspicion of stored results is no proof: it never fails the gate.
  if (failOn === "worse") return gateRows(results).length > 0 ? 1 : 0;
  return failOn === "failed" && failedRows(results).length > 0 ? 1 : 0;
}

/**
 * Ids of the rows that failed in head: under load, below Valgrind, or while their memory was sampled. A row that fails only in base
 * is repaired by head.
 */
export function failedRows({ cases, comparison, furtherMetrics = [] }: Results): string[] {
  const beside = [...furtherMetrics, ...(comparison?.rows ?? [])];
  const failed = [
    ...cases.filter(({ side, state }) => side === "head" && state === "failed"),
    ...beside.filter((row) => failedMeasurements(row).some(({ side }) => side === "head")),
  ];
  return [...new Set(failed.map(({ id }) => id))];
}

/** A run that counts instructions alone has no cases. */
export function isAnythingMeasured({ cases, comparison, furtherMetrics = [] }: Results): boolean {
  // Where all rows are identical on both sides, only the control is measured.
  const beside = [...furtherMetrics, ...(comparison?.rows ?? []), ...(comparison?.controls ?? [])];
  return (
    cases.some(({ state }) => state === "completed") ||
    beside.some(({ instructions, memory }) => [instructions, memory].some((one) => one?.state === "measured"))
  );
}

/**
 * Rows that fail the gate `worse`: proven worse, void because base's files changed, or started differently. Neither of these must help
 * head.
 */
export function gateRows({
  comparison,
}: Results): readonly { readonly id: string; readonly started?: string | undefined }[] {
  return [
    ...(comparison?.rows ?? []).filter((row) => row.verdict === "worse" || row.started !== undefined),
    ...(comparison?.notCompared ?? []).filter((row) => row.kind === "voided"),
  ];
}
