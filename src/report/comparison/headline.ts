/** The verdict of a comparison in one line of plain text. */
import { failedWitnesses } from "../../compare/witnesses/problems.js";
import { plural } from "../../messages/sentence.js";
import type { Comparison, Verdict } from "../../results/comparison.js";

const SAID = {
  worse: "worse",
  better: "better",
  "suspect-worse": "suspected to be worse",
  "suspect-better": "suspected to be better",
} as const;

/** The verdict in one line. */
export function headline(comparison: Comparison): string {
  const { rows, notComparable } = comparison;
  if (notComparable && rows.length === 0) return `Not comparable with base: ${notComparable.join(" / ")}.`;
  return `${[verdictPart(comparison), ...failingParts(comparison)].join("; ")}.`;
}

function verdictPart(comparison: Comparison): string {
  const { rows } = comparison;
  if (rows.length === 0) return noRows(comparison);
  const count = (verdict: Verdict) => rows.filter((row) => row.verdict === verdict).length;
  const changed = (["worse", "suspect-worse", "better", "suspect-better"] as const).flatMap((verdict) =>
    count(verdict) > 0 ? [`${count(verdict)} ${SAID[verdict]}`] : [],
  );
  const rest = (["unchanged", "inconclusive"] as const).flatMap((verdict) =>
    count(verdict) > 0 ? [`${count(verdict)} ${verdict}`] : [],
  );
  if (changed.length > 0) return `Of ${plural(rows.length, "row")}: ${[...changed, ...rest].join(", ")}`;
  return `${withoutChange(rows)}: ${rest.join(", ")}`;
}

function noRows({ apart = [], controls = [] }: Comparison): string {
  const same = controls.length > 0 || apart.some((row) => row.kind === "cannot-have-changed");
  const others = apart.some((row) => row.kind !== "cannot-have-changed" && row.kind !== "removed");
  if (!same || others) return "No row was measured in base and head";
  const changed = controls.some(({ beyondNoise }) => beyondNoise);
  return changed ? "A row changed that is identical on both sides" : "All rows are identical on both sides";
}

/** What can be said where no row changed. */
export function withoutChange(rows: Comparison["rows"]): string {
  const isOpen = rows.every(({ verdict }) => verdict === "inconclusive");
  return isOpen ? "No row could be decided" : `No change found in ${plural(rows.length, "row")}`;
}

/** Of the headline: how many rows are not right in head. */
export function failingParts({ rows, apart = [] }: Comparison): string[] {
  const failing = apart.filter((row) => row.kind === "failed-in-head").length;
  const voided = apart.filter((row) => row.kind === "voided").length;
  const beside = rows.filter((row) => failedWitnesses(row).some(({ side }) => side === "head")).length;
  return [
    ...(failing > 0 ? [`${plural(failing, "row")} failed in head only`] : []),
    ...(beside > 0 ? [`${plural(beside, "row")} failed in head while instructions or memory were measured`] : []),
    ...startedPart(rows),
    ...(voided > 0 ? [`${plural(voided, "row")} void, because base's files changed`] : []),
  ];
}

/** A verdict rests on it. */
function startedPart(rows: Comparison["rows"]): string[] {
  const started = rows.flatMap((row) => row.started ?? []);
  if (started.length === 0) return [];
  const [how = "", ...others] = new Set(started);
  const words = others.length > 0 || how === "" ? "" : `: ${how}`;
  return [`${plural(started.length, "row")} started differently${words}`];
}
