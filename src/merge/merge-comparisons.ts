/**
 * The comparisons of several results files -> one. Each row keeps how it was compared: one shard may have found stored
 * results only where the others measured pairs, and another shard nothing to compare with. Rows in pairs are judged again,
 * as rows of one report.
 */
import { isDeepStrictEqual } from "node:util";
import { type Precision, precisionFor } from "../compare/precision.js";
import { type RecordedRow, rejudgeMerged } from "../compare/rejudge-merged.js";
import { pairKey } from "../compare/sides.js";
import { isUsual, type SelectedMetrics, USUAL_METRICS } from "../plan/selected-metrics.js";
import type { ComparedRow, Comparison, UncomparedRow } from "../results/comparison.js";
import { METRIC_CHOICES } from "../results/metric-choices.js";
import type { Results } from "../results/schema.js";
import { isClientBound } from "./client-bound.js";
import { mergeBases } from "./merge-bases.js";
import { type ComparedPart, newestOf, type Part } from "./parts.js";
import { uncomparedCases } from "./uncompared-cases.js";

/** Undefined where no part was compared. @throws InputError for parts that were measured in pairs with different bases */
export function mergeComparisons(parts: readonly Part[]): Comparison | undefined {
  const compared = parts.flatMap((part): ComparedPart[] => {
    const { comparison } = part.results;
    return comparison ? [{ ...part, comparison }] : [];
  });
  if (compared.length === 0) return undefined;
  const facts = mergeBases(compared);
  const detect = coarsest(compared);
  const selectedMetrics = selectedInAny(compared);
  const overruled = overruledRows(compared);
  const rows = mergeRows(compared, { mixed: facts.mode === "mixed", overruled }, precisionFor(detect));
  const controls = newestOf(compared, ({ comparison }) => comparison.controls ?? [], pairKey);
  const notCompared = mergeUncompared(parts, rows);
  const notes = union(compared, ({ notes = [] }) => notes);
  const runs = unionBy(compared, ({ runs = [] }) => runs);
  return {
    ...facts,
    rows,
    ...(!isUsual(selectedMetrics) && { selectedMetrics: [...selectedMetrics] }),
    ...(detect !== undefined && { detect }),
    ...(controls.length > 0 && { controls }),
    ...(notCompared.length > 0 && { notCompared }),
    // Where some rows were compared, the others have the reason each.
    ...(rows.length === 0 && sharedReasons(compared)),
    ...(runs.length > 0 && { runs }),
    ...sharedAnchor(compared),
    ...confirmedWith(compared),
    ...(notes.length > 0 && { notes }),
    ...sharedCommand(compared),
  };
}

/** One report has one margin: pairs that looked for smaller changes are judged by it too. Undefined: the usual one. */
function coarsest(parts: readonly ComparedPart[]): number | undefined {
  const paired = parts.filter(({ comparison: { rows } }) => rows.some(({ recorded = [] }) => recorded.length > 0));
  const selectedMetrics = paired.map(({ comparison }) => comparison.detect);
  return selectedMetrics.length === 0 || selectedMetrics.includes(undefined)
    ? undefined
    : Math.max(...selectedMetrics.flatMap((one) => one ?? []));
}

/** Each row has what its part asked for. */
function selectedInAny(parts: readonly ComparedPart[]): SelectedMetrics {
  const selectedMetrics = parts.flatMap(({ comparison }) => comparison.selectedMetrics ?? USUAL_METRICS);
  return METRIC_CHOICES.filter((name) => selectedMetrics.includes(name));
}

/** Kinds that say more of a row than an older verdict does. */
const FINDINGS: readonly UncomparedRow["kind"][] = ["failed-in-head", "failed-in-base", "voided"];

/** By `pairKey`: rows that were compared, and in a newer part failed or became void. */
function overruledRows(parts: readonly ComparedPart[]): ReadonlySet<string> {
  const newest = newestOf(
    parts,
    ({ results, comparison: { rows, notCompared = [] } }) => {
      const failed = failedInHead(results);
      const isFinding = (row: UncomparedRow) => FINDINGS.includes(row.kind) || failed.has(pairKey(row));
      return [
        ...rows.filter(hasFigures).map((row) => ({ key: pairKey(row), compared: true })),
        ...notCompared.filter(isFinding).map((row) => ({ key: pairKey(row), compared: false })),
      ];
    },
    ({ key }) => key,
  );
  return new Set(newest.filter(({ compared }) => !compared).map(({ key }) => key));
}

/** By `pairKey`. A row that failed in base too is listed as unmeasured. */
function failedInHead({ cases }: Results): ReadonlySet<string> {
  return new Set(cases.filter(({ side, state }) => side === "head" && state === "failed").map(pairKey));
}

/** A run that ended early may list rows that it never began: they say nothing of an older verdict. */
function hasFigures({ metrics, recorded = [], instructions, memory }: ComparedRow): boolean {
  return Object.keys(metrics).length + recorded.length > 0 || (instructions ?? memory) !== undefined;
}

interface Merging {
  readonly mixed: boolean;
  readonly overruled: ReadonlySet<string>;
}

function mergeRows(parts: readonly ComparedPart[], { mixed, overruled }: Merging, precision: Precision): ComparedRow[] {
  const begun = new Set(parts.flatMap(({ comparison }) => comparison.rows.filter(hasFigures).map(pairKey)));
  const recorded = new Map(parts.map((part) => [part.results, recordedRows(part.results, part.comparison, mixed)]));
  const rows = newestOf(
    parts,
    ({ results }) => (recorded.get(results) ?? []).filter(({ row }) => hasFigures(row) || !begun.has(pairKey(row))),
    ({ row }) => pairKey(row),
  );
  return rejudgeMerged(
    rows.filter(({ row }) => !overruled.has(pairKey(row))),
    precision,
  );
}

function recordedRows(results: Results, comparison: Comparison, mixed: boolean): RecordedRow[] {
  const { mode, rows, selectedMetrics = USUAL_METRICS } = comparison;
  const clientBound = isClientBound(results);
  return rows.map((row) => ({
    row: mixed && mode !== "mixed" ? { ...row, mode } : row,
    clientBound: clientBound(row),
    selectedMetrics,
  }));
}

/** What one part does not have, another one may have compared. */
function mergeUncompared(parts: readonly Part[], rows: readonly ComparedRow[]): UncomparedRow[] {
  const compared = new Set(rows.map(pairKey));
  const listed = newestOf(parts, ({ results }) => results.comparison?.notCompared ?? [], pairKey);
  const known = new Set([...rows, ...listed].map(({ id }) => id));
  const left = uncomparedCases(parts).filter(({ id }) => !known.has(id));
  return [...listed, ...left].filter((row) => !compared.has(pairKey(row)));
}

function sharedReasons(parts: readonly ComparedPart[]): Pick<Comparison, "notComparable"> {
  const notComparable = union(parts, ({ notComparable = [] }) => notComparable);
  return notComparable.length > 0 ? { notComparable } : {};
}

/** An anchor belongs to the rows of its own part; a merged file has the rows of all of them. */
function sharedAnchor([first, ...others]: readonly ComparedPart[]): Pick<Comparison, "anchor"> {
  const anchor = first?.comparison.anchor;
  const shared = others.every(({ comparison }) => isDeepStrictEqual(comparison.anchor, anchor));
  return shared && anchor ? { anchor } : {};
}

function confirmedWith(parts: readonly ComparedPart[]): Pick<Comparison, "confirmedWith"> {
  const found = parts.find(({ comparison }) => comparison.confirmedWith)?.comparison.confirmedWith;
  return found ? { confirmedWith: found } : {};
}

/** A command that repeats one part alone would mislead. */
function sharedCommand([first, ...others]: readonly ComparedPart[]): Pick<Comparison, "command"> {
  const command = first?.comparison.command;
  const shared = others.every(({ comparison }) => isDeepStrictEqual(comparison.command, command));
  return shared && command ? { command } : {};
}

function union(parts: readonly ComparedPart[], textsOf: (comparison: Comparison) => readonly string[]): string[] {
  return [...new Set(parts.flatMap(({ comparison }) => textsOf(comparison)))];
}

function unionBy<T>(parts: readonly ComparedPart[], itemsOf: (comparison: Comparison) => readonly T[]): T[] {
  const items = parts.flatMap(({ comparison }) => itemsOf(comparison));
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}
