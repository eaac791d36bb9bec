/** Several results files -> one: the shards of a run, or the runs of several days. */
import { isDeepStrictEqual } from "node:util";
import { pairKey } from "../compare/sides.js";
import { InputError } from "../errors.js";
import { caseKey } from "../results/check.js";
import type { Comparison } from "../results/comparison.js";
import type { Results } from "../results/schema.js";
import { mergeComparisons } from "./merge-comparisons.js";
import { mergeFurtherMetrics } from "./merge-further-metrics.js";
import { mergedWarnings } from "./merged-warnings.js";
import { newestOf, oldestFirst, type Part } from "./parts.js";
import { type RowOrder, rowOrder, setOrder } from "./row-order.js";

/**
 * The union of the parts' sets and cases. Of the same case (id, side, connections) the one of the newest run stays, at the
 * position of the first; shards know the order of the rows. The environment is the first part's; parts of another machine leave a warning.
 * @throws InputError for no parts, or parts whose tables or bases do not fit together
 */
export function mergeResults(parts: readonly Part[]): Results {
  const [first] = parts;
  if (!first) throw new InputError("no results to merge: give one results.json or more");
  // One shard alone is not the whole run: its file must not pass for that shard again.
  if (parts.length === 1 && !first.results.run.shard) return first.results;
  const newest = oldestFirst(parts).at(-1) ?? first;
  const { comparison: _comparison, profiles: _profiles, furtherMetrics: _furtherMetrics, ...rest } = newest.results;
  const ordered = rowOrder(parts);
  const comparison = mergeComparisons(parts);
  const profiles = newestOf(parts, (part) => part.results.profiles ?? [], pairKey);
  const furtherMetrics = ordered(mergeFurtherMetrics(parts));
  const cases = ordered(newestOf(parts, ({ results }) => results.cases, caseKey));
  return {
    ...rest,
    run: mergeRuns(parts, newest),
    environment: first.results.environment,
    sets: mergeSets(parts, cases),
    cases,
    ...(comparison && { comparison: inOrder(comparison, ordered) }),
    ...(profiles.length > 0 && { profiles }),
    ...(furtherMetrics.length > 0 && { furtherMetrics }),
  };
}

function inOrder({ rows, controls, notCompared, ...rest }: Comparison, ordered: RowOrder): Comparison {
  return {
    ...rest,
    rows: ordered(rows),
    ...(controls && { controls: ordered(controls) }),
    ...(notCompared && { notCompared: ordered(notCompared) }),
  };
}

function mergeSets(parts: readonly Part[], cases: Results["cases"]): Results["sets"] {
  const seen = new Map<string, { source: string; set: Results["sets"][number] }>();
  for (const { source, results } of parts) {
    for (const set of results.sets) {
      const earlier = seen.get(set.name);
      if (!earlier) seen.set(set.name, { source, set });
      else if (!isDeepStrictEqual(tableOf(earlier.set), tableOf(set))) {
        throw new InputError(
          `${source}: set ${JSON.stringify(set.name)} has other columns (${headings(set)}) than in ${earlier.source} (${headings(earlier.set)}): merge results of one version of the set`,
        );
      }
    }
  }
  const newest = newestOf(
    parts,
    ({ results }) => results.sets,
    (set) => set.name,
  );
  const merged = new Set(cases);
  const order = setOrder(parts);
  const sorted = order ? newest.toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name)) : newest;
  return sorted.map(({ rowOrder: _, ...set }) => ({ ...set, methodology: commonMethodology(set, parts, merged) }));
}

/** A part may have some rows of the set alone, and its sentences hold for these: only those of all parts that have cases here hold for all. */
function commonMethodology(
  { name, methodology }: Results["sets"][number],
  parts: readonly Part[],
  merged: ReadonlySet<Results["cases"][number]>,
): Results["sets"][number]["methodology"] {
  const shown = parts.filter(({ results }) => results.cases.some((one) => one.set === name && merged.has(one)));
  const described = shown.map(({ results }) => results.sets.find((set) => set.name === name)?.methodology ?? []);
  return methodology.filter((sentence) => described.every((sentences) => sentences.includes(sentence)));
}

function tableOf({ label, connectionsColumn = "", leadColumns = {}, knobColumns, columns }: Results["sets"][number]) {
  return {
    label,
    connectionsColumn,
    leadColumns: Object.entries(leadColumns),
    knobColumns: Object.entries(knobColumns),
    columns,
  };
}

function headings(set: Results["sets"][number]): string {
  return [set.label, ...Object.keys(set.knobColumns), ...set.columns].join(", ");
}

function mergeRuns(parts: readonly Part[], newest: Part): Results["run"] {
  const runs = oldestFirst(parts).map((part) => part.results.run);
  const finished = runs.map((run) => run.finishedAt);
  // Each part has its own shard index, and `missing` is found again from all parts.
  const { shard: _, missing: __, nothingToCompare: ___, ...rest } = newest.results.run;
  const measuredSec = runs.reduce((sum, run) => sum + run.measuredSec, 0);
  const loadSec = runs.reduce((sum, run) => sum + run.measuredSec * run.loadShare, 0);
  return {
    ...rest,
    startedAt: runs[0]?.startedAt ?? rest.startedAt,
    finishedAt: finished.includes(null) ? null : latest(finished.filter((time) => time !== null)),
    measuredSec,
    loadShare: measuredSec > 0 ? loadSec / measuredSec : 0,
    ...nothingInAll(parts),
    warnings: mergedWarnings(parts),
    parts: parts.flatMap(partsOf),
  };
}

/** Of parts without any comparison: the first reason. */
function nothingInAll(parts: readonly Part[]): Pick<Results["run"], "nothingToCompare"> {
  if (parts.some(({ results }) => results.comparison)) return {};
  const found = parts.find(({ results }) => results.run.nothingToCompare)?.results.run.nothingToCompare;
  return found ? { nothingToCompare: found } : {};
}

/** A merged file has parts; any other file is one. */
function partsOf({ source, results: { run, environment } }: Part): NonNullable<Results["run"]["parts"]> {
  if (run.parts) return run.parts;
  const { id, startedAt, finishedAt, command, shard } = run;
  const { fingerprint } = environment;
  const whole = { source, id, startedAt, fingerprint, command, ...(shard && { shard }) };
  return [finishedAt === null ? { ...whole, unfinished: true } : whole];
}

function latest(times: readonly string[]): string | null {
  return times.reduce<string | null>((a, b) => (a === null || Date.parse(b) > Date.parse(a) ? b : a), null);
}
