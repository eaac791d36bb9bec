/** Rows that were counted or sampled without a base: their figures, without verdicts. */
import { headFigures } from "../../compare/further-metrics/figures.js";
import { problemNotes } from "../../compare/further-metrics/problems.js";
import { plural } from "../../messages/sentence.js";
import type { FurtherMetrics } from "../../results/further-metrics.js";
import type { Results } from "../../results/schema.js";
import { MISSING } from "../text/format.js";

export interface FurtherTable {
  readonly title: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Why a row has no figures, or no further ones. */
  readonly notes: readonly string[];
}

/** Undefined where no row was counted or sampled. */
export function furtherTable({ furtherMetrics = [] }: Pick<Results, "furtherMetrics">): FurtherTable | undefined {
  if (furtherMetrics.length === 0) return undefined;
  const counted = furtherMetrics.some(({ instructions }) => instructions);
  const sampled = furtherMetrics.some(({ memory }) => memory);
  const titles = [...(counted ? ["Instructions"] : []), ...(sampled ? ["Memory"] : [])];
  return {
    title: titles.join(" and ").replace("and Memory", "and memory"),
    headings: [
      "Benchmark",
      ...(counted ? ["Instructions per request"] : []),
      ...(sampled ? ["Peak memory (MiB)", "Growth (MiB per 100,000 requests)"] : []),
    ],
    rows: furtherMetrics.map((row) => {
      const { instructions, peakMiB, growthMiB } = headFigures(row);
      return [
        row.id,
        ...(counted ? [instructions?.toFixed(0) ?? MISSING] : []),
        ...(sampled ? [peakMiB?.toFixed(1) ?? MISSING, growthMiB?.toFixed(2) ?? MISSING] : []),
      ];
    }),
    notes: furtherMetrics.flatMap((row) => problemNotes(row).map((note) => `${row.id}: ${note}`)),
  };
}

function hasFurtherMetrics({ instructions, memory }: FurtherMetrics): boolean {
  return (instructions ?? memory) !== undefined;
}

/** Whether the run measured no time: then its sets have no tables. */
export function isUntimed({ cases, furtherMetrics = [], comparison }: Results): boolean {
  const beside = [...furtherMetrics, ...(comparison?.rows ?? [])].some(hasFurtherMetrics);
  // Of a base that could not be installed there is a case.
  return beside && !cases.some(({ state, side }) => side === "head" && state !== "skipped");
}

/** `18 benchmarks: 17 with instructions or memory measured, 1 without` */
export function untimedWords({ furtherMetrics = [], comparison }: Results): string {
  const asked = [...furtherMetrics, ...(comparison?.rows ?? [])].filter(hasFurtherMetrics);
  const measured = asked.filter(({ instructions, memory }) =>
    [instructions, memory].some((one) => one?.state === "measured"),
  );
  const not = asked.length - measured.length;
  return `${plural(asked.length, "benchmark")}: ${measured.length} with instructions or memory measured${not === 0 ? "" : `, ${not} without`}`;
}
