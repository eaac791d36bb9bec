/** Several results files -> one: the shards of a run, or the runs of several days. */
import { isDeepStrictEqual } from "node:util";
import { InputError } from "../errors.js";
import { caseKey } from "./check.js";
import type { Comparison } from "./comparison.js";
import type { Results } from "./schema.js";

export interface Part {
  /** What messages and warnings call it: the file's path. */
  readonly source: string;
  readonly results: Results;
}

/**
 * The union of the parts' sets and cases. Of the same case (id, side, connections) the one of the newest run stays,
 * in the place of the first. The environment is the first part's; parts of another machine leave a warning.
 * @throws InputError for no parts, or parts whose tables do not fit together
 */
export function mergeResults(parts: readonly Part[]): Results {
  const [first] = parts;
  if (!first) throw new InputError("no results to merge: give one results.json or more");
  if (parts.length === 1) return first.results;
  const byAge = [...parts].sort((a, b) => startedAt(a) - startedAt(b));
  const newest = byAge.at(-1) ?? first;
  const comparison = mergeComparisons(parts, byAge);
  return {
    ...newest.results,
    run: mergeRuns(parts, byAge, newest),
    environment: first.results.environment,
    sets: mergeSets(parts, byAge),
    cases: newestOf(parts, byAge, (results) => results.cases, caseKey),
    ...(comparison && { comparison }),
  };
}

function startedAt(part: Part): number {
  return Date.parse(part.results.run.startedAt);
}

/** Items in the order of the parts as given, each with the value of the newest run that has it. */
function newestOf<T>(
  parts: readonly Part[],
  byAge: readonly Part[],
  items: (results: Results) => readonly T[],
  key: (item: T) => string,
): T[] {
  const newest = new Map<string, T>();
  for (const part of byAge) for (const item of items(part.results)) newest.set(key(item), item);
  const order = new Set(parts.flatMap((part) => items(part.results).map(key)));
  return [...order].flatMap((name) => {
    const item = newest.get(name);
    return item === undefined ? [] : [item];
  });
}

function mergeSets(parts: readonly Part[], byAge: readonly Part[]): Results["sets"] {
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
  return newestOf(
    parts,
    byAge,
    (results) => results.sets,
    (set) => set.name,
  );
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

function mergeRuns(parts: readonly Part[], byAge: readonly Part[], newest: Part): Results["run"] {
  const runs = byAge.map((part) => part.results.run);
  const finished = runs.map((run) => run.finishedAt);
  const measuredSec = runs.reduce((sum, run) => sum + run.measuredSec, 0);
  const loadSec = runs.reduce((sum, run) => sum + run.measuredSec * run.loadShare, 0);
  return {
    ...newest.results.run,
    startedAt: runs[0]?.startedAt ?? newest.results.run.startedAt,
    finishedAt: finished.includes(null) ? null : latest(finished.filter((time) => time !== null)),
    measuredSec,
    loadShare: measuredSec > 0 ? loadSec / measuredSec : 0,
    warnings: mergedWarnings(parts),
    parts: parts.flatMap(
      ({ source, results: { run, environment } }) =>
        run.parts ?? [
          { source, id: run.id, startedAt: run.startedAt, fingerprint: environment.fingerprint, command: run.command },
        ],
    ),
  };
}

function latest(times: readonly string[]): string | null {
  return times.reduce<string | null>((a, b) => (a === null || Date.parse(b) > Date.parse(a) ? b : a), null);
}

function mergedWarnings(parts: readonly Part[]): string[] {
  const [first, ...others] = parts;
  if (!first) return [];
  const { environment, run } = first.results;
  const differing = others.flatMap(({ source, results }) => {
    const warnings: string[] = [];
    if (results.environment.fingerprint !== environment.fingerprint) {
      const { cpuModel, cpus, os } = results.environment;
      warnings.push(
        `${source} was measured on another machine (${cpuModel} @ ${os}, CPUs: ${cpus}) than ${first.source}: its rows are not comparable with the others.`,
      );
    }
    if (results.run.profile !== run.profile) {
      warnings.push(
        `${source} was measured with the profile ${results.run.profile}, ${first.source} with ${run.profile}.`,
      );
    }
    if (results.run.git?.sha !== run.git?.sha) {
      warnings.push(
        `${source} measured the commit ${results.run.git?.sha ?? "(none)"}, ${first.source} ${run.git?.sha ?? "(none)"}.`,
      );
    }
    return warnings;
  });
  return [...new Set([...parts.flatMap(({ results }) => results.run.warnings), ...differing])];
}

function mergeComparisons(parts: readonly Part[], byAge: readonly Part[]): Comparison | undefined {
  const compared = parts.flatMap(({ source, results: { comparison } }) => (comparison ? [{ source, comparison }] : []));
  const [first, ...others] = compared;
  if (!first) return undefined;
  for (const { source, comparison } of others) {
    if (comparison.mode !== first.comparison.mode || !isDeepStrictEqual(comparison.base, first.comparison.base)) {
      throw new InputError(
        `${source}: compares with another base than ${first.source}: merge results of one comparison`,
      );
    }
  }
  const rows = newestOf(parts, byAge, (results) => results.comparison?.rows ?? [], comparedKey);
  const apart = newestOf(parts, byAge, (results) => results.comparison?.apart ?? [], comparedKey);
  const controls = newestOf(parts, byAge, (results) => results.comparison?.controls ?? [], comparedKey);
  const compares = new Set(rows.map(comparedKey));
  const said = (of: "notComparable" | "notes") => [
    ...new Set(compared.flatMap(({ comparison }) => comparison[of] ?? [])),
  ];
  const [notComparable, notes] = [said("notComparable"), said("notes")];
  return {
    ...first.comparison,
    rows,
    ...(controls.length > 0 && { controls }),
    // What one shard does not have, another one may have compared.
    ...(apart.length > 0 && { apart: apart.filter((row) => !compares.has(comparedKey(row))) }),
    ...(notComparable.length > 0 && { notComparable }),
    ...(notes.length > 0 && { notes }),
  };
}

function comparedKey({ id, connections }: { readonly id: string; readonly connections?: number | undefined }): string {
  return JSON.stringify([id, connections]);
}
