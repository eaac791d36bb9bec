/** Several results files -> one: the shards of a run, or the runs of several days. */
import { isDeepStrictEqual } from "node:util";
import { CLIENT_BOUND } from "../compare/paired.js";
import { type RecordedRow, rejudgeMerged } from "../compare/rejudge-merged.js";
import { pairKey } from "../compare/sides.js";
import { InputError } from "../errors.js";
import { caseKey } from "../results/check.js";
import type { ComparedRow, Comparison } from "../results/comparison.js";
import type { Results } from "../results/schema.js";

export interface Part {
  /** What messages and warnings call it: the file's path. */
  readonly source: string;
  readonly results: Results;
}

/**
 * The union of the parts' sets and cases. Of the same case (id, side, connections) the one of the newest run stays,
 * in the place of the first. The environment is the first part's; parts of another machine leave a warning. Rows that were
 * measured in pairs are judged anew, as those of one report.
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
  // Places among shards are the parts', and what was missing is asked anew.
  const { shard: _, missing: __, ...rest } = newest.results.run;
  const measuredSec = runs.reduce((sum, run) => sum + run.measuredSec, 0);
  const loadSec = runs.reduce((sum, run) => sum + run.measuredSec * run.loadShare, 0);
  return {
    ...rest,
    startedAt: runs[0]?.startedAt ?? rest.startedAt,
    finishedAt: finished.includes(null) ? null : latest(finished.filter((time) => time !== null)),
    measuredSec,
    loadShare: measuredSec > 0 ? loadSec / measuredSec : 0,
    warnings: mergedWarnings(parts),
    parts: parts.flatMap(({ source, results: { run, environment } }) => {
      const { id, startedAt, finishedAt, command, shard } = run;
      const own = { source, id, startedAt, fingerprint: environment.fingerprint, command, ...(shard && { shard }) };
      return run.parts ?? [{ ...own, ...(finishedAt === null && { unfinished: true as const }) }];
    }),
  };
}

function latest(times: readonly string[]): string | null {
  return times.reduce<string | null>((a, b) => (a === null || Date.parse(b) > Date.parse(a) ? b : a), null);
}

function mergedWarnings(parts: readonly Part[]): string[] {
  const [first, ...others] = parts;
  if (!first) return [];
  const { environment, run } = first.results;
  const differing = [
    ...bySaying(
      others,
      ({
        results: {
          environment: { fingerprint, cpuModel, cpus, os },
        },
      }) => (fingerprint === environment.fingerprint ? undefined : `${cpuModel} @ ${os}, CPUs: ${cpus}`),
    ).map(
      ({ sources, said }) =>
        `${sources} was measured on another machine (${said}) than ${first.source}: its rows are not comparable with the others.`,
    ),
    ...bySaying(
      others,
      ({
        results: {
          run: { profile },
        },
      }) => (profile === run.profile ? undefined : profile),
    ).map(
      ({ sources, said }) => `${sources} was measured with the profile ${said}, ${first.source} with ${run.profile}.`,
    ),
    ...bySaying(
      others,
      ({
        results: {
          run: { git },
        },
      }) => (git?.sha === run.git?.sha ? undefined : (git?.sha ?? "(none)")),
    ).map(
      ({ sources, said }) => `${sources} measured the commit ${said}, ${first.source} ${run.git?.sha ?? "(none)"}.`,
    ),
  ];
  return [...new Set([...parts.flatMap(({ results }) => results.run.warnings), ...differing])];
}

/** A hundred shards on other machines are one warning for each kind of machine. */
const SOURCES_NAMED = 3;

/** The parts of which the same is to be said. */
function bySaying(parts: readonly Part[], say: (part: Part) => string | undefined) {
  const groups = new Map<string, string[]>();
  for (const part of parts) {
    const said = say(part);
    if (said !== undefined) groups.set(said, [...(groups.get(said) ?? []), part.source]);
  }
  return [...groups].map(([said, sources]) => {
    const more = sources.length - SOURCES_NAMED;
    const named = sources.slice(0, SOURCES_NAMED).join(", ");
    return { said, sources: more > 0 ? `${named} and ${more} more: each` : named };
  });
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
  const recorded = recordedRows(parts);
  const rows = rejudgeMerged(
    newestOf(
      parts,
      byAge,
      (results) => recorded.get(results) ?? [],
      ({ row }) => pairKey(row),
    ),
  );
  const apart = newestOf(parts, byAge, (results) => results.comparison?.apart ?? [], pairKey);
  const controls = newestOf(parts, byAge, (results) => results.comparison?.controls ?? [], pairKey);
  const compares = new Set(rows.map(pairKey));
  const said = (of: "notComparable" | "notes") => [
    ...new Set(compared.flatMap(({ comparison }) => comparison[of] ?? [])),
  ];
  const [notComparable, notes] = [said("notComparable"), said("notes")];
  const { command, ...facts } = first.comparison;
  const confirmedWith = compared.find(({ comparison }) => comparison.confirmedWith)?.comparison.confirmedWith;
  // Each part has one of its own, which repeats that part alone.
  const one = compared.every(({ comparison }) => isDeepStrictEqual(comparison.command, command));
  return {
    ...facts,
    rows,
    ...(one && command && { command }),
    ...(confirmedWith && { confirmedWith }),
    ...(controls.length > 0 && { controls }),
    // What one shard does not have, another one may have compared.
    ...(apart.length > 0 && { apart: apart.filter((row) => !compares.has(pairKey(row))) }),
    ...(notComparable.length > 0 && { notComparable }),
    ...(notes.length > 0 && { notes }),
  };
}

/** Each part's rows, and whether the load generator was their limit. */
function recordedRows(parts: readonly Part[]): ReadonlyMap<Results, readonly RecordedRow[]> {
  return new Map(
    parts.map(({ results }) => {
      const { cases, comparison } = results;
      const bound = cases.filter((result) => result.state === "completed" && result.summary.clientBound);
      const keys = new Set(bound.map(pairKey));
      // The cases of a row that was confirmed in pairs are of the time before.
      const isBound = (row: ComparedRow) =>
        row.confirmation ? (row.notes ?? []).includes(CLIENT_BOUND) : keys.has(pairKey(row));
      return [results, (comparison?.rows ?? []).map((row) => ({ row, clientBound: isBound(row) }))];
    }),
  );
}
