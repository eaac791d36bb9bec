/** What the pairs say, in the form of a comparison. */
import type { ComparedRow, Comparison, UncomparedRow } from "../results/comparison.js";

interface PairedReport {
  readonly base: Readonly<Record<string, string>>;
  readonly rows: readonly ComparedRow[];
  /** Rows that are the same on both sides, as they were judged. */
  readonly controls: readonly ComparedRow[];
  readonly apart: readonly UncomparedRow[];
  readonly command: readonly string[];
}

export function comparePaired({ base, rows, controls, apart, command }: PairedReport): Comparison {
  const alarmed = controls.filter(({ verdict }) => verdict === "worse" || verdict === "better");
  return {
    mode: "paired",
    base: { ...base },
    rows: [...rows],
    ...(controls.length > 0 && { controls: controls.map(withoutVerdict) }),
    apart: [...apart],
    ...(alarmed.length > 0 && {
      notes: [
        `The control (${alarmed.map(({ title, id }) => title ?? id).join(", ")}) seems to have changed, which it cannot: the machine was too unsteady for these verdicts.`,
      ],
    }),
    command: [...command],
  };
}

/** A control shows the noise; it is no finding. */
function withoutVerdict(row: ComparedRow): ComparedRow {
  const metrics: ComparedRow["metrics"] = {};
  for (const [name, metric] of Object.entries(row.metrics)) metrics[name] = { ...metric, verdict: "inconclusive" };
  return { ...row, verdict: "inconclusive", metrics };
}
