/** Rows that were counted or sampled without a base: their figures, without verdicts. */
import { headFigures } from "../../compare/witnesses/figures.js";
import { problemNotes } from "../../compare/witnesses/problems.js";
import { plural } from "../../messages/sentence.js";
import type { Results } from "../../results/schema.js";
import type { Witnesses } from "../../results/witnesses.js";
import { MISSING } from "../text/format.js";

export interface WitnessTable {
  readonly title: string;
  readonly headings: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Why a row has no figures, or no further ones. */
  readonly notes: readonly string[];
}

/** Undefined where no row was counted or sampled. */
export function witnessTable({ witnesses = [] }: Pick<Results, "witnesses">): WitnessTable | undefined {
  if (witnesses.length === 0) return undefined;
  const counted = witnesses.some(({ instructions }) => instructions);
  const sampled = witnesses.some(({ memory }) => memory);
  const titles = [...(counted ? ["Instructions"] : []), ...(sampled ? ["Memory"] : [])];
  return {
    title: titles.join(" and ").replace("and Memory", "and memory"),
    headings: [
      "Benchmark",
      ...(counted ? ["Instructions per request"] : []),
      ...(sampled ? ["Peak memory (MiB)", "Growth (MiB per 100,000 requests)"] : []),
    ],
    rows: witnesses.map((row) => {
      const { instructions, peakMiB, growthMiB } = headFigures(row);
      return [
        row.id,
        ...(counted ? [instructions?.toFixed(0) ?? MISSING] : []),
        ...(sampled ? [peakMiB?.toFixed(1) ?? MISSING, growthMiB?.toFixed(2) ?? MISSING] : []),
      ];
    }),
    notes: witnesses.flatMap((row) => problemNotes(row).map((note) => `${row.id}: ${note}`)),
  };
}

function isWitnessed({ instructions, memory }: Witnesses): boolean {
  return (instructions ?? memory) !== undefined;
}

/** Whether the run measured no time: then its sets have no tables. */
export function isUntimed({ cases, witnesses = [], comparison }: Results): boolean {
  const beside = [...witnesses, ...(comparison?.rows ?? [])].some(isWitnessed);
  // Of a base that could not be installed there is a case.
  return beside && !cases.some(({ state, side }) => side === "head" && state !== "skipped");
}

/** `18 benchmarks: 17 with instructions or memory measured, 1 without` */
export function untimedWords({ witnesses = [], comparison }: Results): string {
  const asked = [...witnesses, ...(comparison?.rows ?? [])].filter(isWitnessed);
  const measured = asked.filter(({ instructions, memory }) =>
    [instructions, memory].some((one) => one?.state === "measured"),
  );
  const not = asked.length - measured.length;
  return `${plural(asked.length, "benchmark")}: ${measured.length} with instructions or memory measured${not === 0 ? "" : `, ${not} without`}`;
}
