/**
 * Results that a pull request's own run made -> the same results without its free text: figures, verdicts and
 * names that the default branch has too stay. Each object is built field by field: a field that is added to the results file stays
 * out until it is added here.
 */
import { problemOf } from "../../compare/further-metrics/problems.js";
import type { CaseResult, FurtherRow, NothingToCompare, Results } from "../../results/schema.js";
import { claimedComparison, claimedFurtherMetrics } from "./claimed-comparison.js";
import { Names, NO_NAMES } from "./names.js";
import type { Trust, Withheld } from "./trust.js";
import { idsOf, knownSentences, NOT_SHOWN, REASON_WITHHELD, reasonOf, shaOf, versionOf } from "./words.js";

export interface Claims {
  readonly results: Results;
  readonly withheld: Withheld;
}

/** What annotations may be made of. */
export function resultsToShow(results: Results, trust: Trust): Results {
  return claimsOf(results, trust).results;
}

/** Own results stay as they are. */
export function claimsOf(results: Results, trust: Trust): Claims {
  if (trust.kind === "own") return { results, withheld: {} };
  const names = new Names(trust.names ?? NO_NAMES);
  const { comparison, furtherMetrics } = results;
  const claimed: Results = {
    schema: results.schema,
    version: results.version,
    run: claimedRun(results.run, names),
    environment: claimedEnvironment(results.environment),
    sets: results.sets.map((set) => claimedSet(set, names)),
    cases: results.cases.map((result) => claimedCase(result, names)),
    ...(comparison && { comparison: claimedComparison(comparison, names) }),
    ...(furtherMetrics && { furtherMetrics: furtherMetrics.map((row) => claimedRowAlone(row, names)) }),
  };
  return { results: claimed, withheld: { ...withheldOf(results), name: names.numbered } };
}

function claimedRowAlone(row: FurtherRow, names: Names): FurtherRow {
  return { ...names.row(row.id), ...claimedFurtherMetrics(row) };
}

function withheldOf({ run, cases, comparison, profiles = [], furtherMetrics = [] }: Results): Withheld {
  const notes = [
    ...(comparison?.notes ?? []),
    ...[...(comparison?.rows ?? []), ...(comparison?.controls ?? [])].flatMap((row) => row.notes ?? []),
  ];
  const warnings = [
    ...run.warnings,
    ...cases.flatMap((result) => ("warnings" in result ? (result.warnings ?? []) : [])),
  ];
  const beside = [...(comparison?.rows ?? []), ...furtherMetrics].flatMap((row) =>
    [row.instructions, row.memory].map(problemOf),
  );
  const reasons = [...cases, ...(comparison?.notCompared ?? []), ...(run.missing ?? []), ...beside].flatMap((of) =>
    of && "reason" in of && of.reason !== undefined ? [of.reason] : [],
  );
  const unknown = (texts: readonly string[]) => texts.length - knownSentences(texts).length;
  return {
    warning: unknown(warnings),
    note: unknown(notes),
    reason: unknown(reasons),
    log: cases.filter((result) => result.state === "failed" && result.log !== undefined).length,
    // Names of functions and files are words of that run's code.
    profile: profiles.length,
  };
}

function claimedRun(run: Results["run"], names: Names): Results["run"] {
  const sha = shaOf(run.git?.sha);
  return {
    id: idsOf(run.id) ?? NOT_SHOWN,
    startedAt: run.startedAt,
    finishedAt: run.finishedAt,
    tool: { version: versionOf(run.tool.version) ?? NOT_SHOWN },
    ...(sha === undefined ? {} : { git: { sha } }),
    profile: run.profile,
    command: [],
    ...(run.nothingToCompare && { nothingToCompare: claimedNothing(run.nothingToCompare) }),
    warnings: knownSentences(run.warnings),
    measuredSec: run.measuredSec,
    loadShare: run.loadShare,
    ...(run.shard && { shard: run.shard }),
    ...(run.missing && {
      missing: run.missing.map(({ shard, reason, rows }) => ({
        shard: /^\d{1,4}\/\d{1,4}$/.test(shard) ? shard : NOT_SHOWN,
        reason: reasonOf(reason) ?? REASON_WITHHELD,
        rows: rows.map((id) => names.row(id).id),
      })),
    }),
    ...(run.parts && {
      parts: run.parts.map((part, i) => ({
        source: `part ${i + 1}`,
        id: idsOf(part.id) ?? NOT_SHOWN,
        startedAt: part.startedAt,
        fingerprint: idsOf(part.fingerprint) ?? NOT_SHOWN,
        command: [],
      })),
    }),
  };
}

/** The kind is one of ours; the reason quotes GitHub, git and file names. */
function claimedNothing({ kind }: NothingToCompare): NothingToCompare {
  return { kind, reason: NOTHING_TO_COMPARE[kind] };
}

const NOTHING_TO_COMPARE: Readonly<Record<NothingToCompare["kind"], string>> = {
  event: "its event has no base.",
  base: "base could not be measured; the results file says why.",
  stored: "base could not be measured, and no stored results could be used; the results file says why.",
};

/** A CPU's model and a system's name are free text: a reader finds them in the artifact. */
function claimedEnvironment(environment: Results["environment"]): Results["environment"] {
  const generators = Object.entries(environment.loadGenerators).flatMap(([name, version]) => {
    const known = GENERATORS.includes(name) ? versionOf(version) : undefined;
    return known === undefined ? [] : [[name, known] as const];
  });
  return {
    cpuModel: `CPU ${NOT_SHOWN}`,
    cpus: environment.cpus,
    os: `system ${NOT_SHOWN}`,
    kernel: NOT_SHOWN,
    memoryMiB: environment.memoryMiB,
    python: versionOf(environment.python) ?? NOT_SHOWN,
    loadGenerators: Object.fromEntries(generators),
    serverCpus: cpuList(environment.serverCpus),
    clientCpus: cpuList(environment.clientCpus),
    fingerprint: idsOf(environment.fingerprint) ?? NOT_SHOWN,
  };
}

const GENERATORS: readonly string[] = ["oha", "ghz", "wrk"];

function cpuList(text: string): string {
  return /^[\d,-]{1,100}$/.test(text) ? text : NOT_SHOWN;
}

function claimedSet(set: Results["sets"][number], names: Names): Results["sets"][number] {
  const { id: name, title } = names.set(set.name);
  return {
    name,
    title,
    methodology: [],
    label: "Benchmark",
    ...(set.connectionsColumn === undefined ? {} : { connectionsColumn: "Connections" }),
    knobColumns: {},
    columns: set.columns,
  };
}

function claimedCase(result: CaseResult, names: Names): CaseResult {
  const fields = {
    ...names.row(result.id),
    set: names.set(result.set).id,
    side: result.side,
    knobs: {},
    server: claimedServer(result.server, names),
    connections: result.connections,
  };
  if (result.state === "completed") {
    const { summary, slices, othersShare, spread, disturbed, wallSec, warnings = [] } = result;
    const known = knownSentences(warnings);
    return {
      ...fields,
      state: "completed",
      summary: { ...summary, failures: claimedFailures(summary.failures) },
      slices: slices.map((slice) => ({ ...slice, failures: claimedFailures(slice.failures) })),
      ...(othersShare === undefined ? {} : { othersShare }),
      ...(spread === undefined ? {} : { spread }),
      ...(disturbed && { disturbed }),
      wallSec,
      ...(known.length > 0 && { warnings: known }),
    };
  }
  return { ...fields, state: result.state, reason: reasonOf(result.reason) ?? REASON_WITHHELD };
}

function claimedServer(server: CaseResult["server"], names: Names): CaseResult["server"] {
  const { id: name, title } = names.server(server.name);
  const version = versionOf(server.version);
  const python = versionOf(server.python);
  return {
    name,
    title,
    ...(version === undefined ? {} : { version }),
    interface: NOT_SHOWN,
    command: [],
    ...(python === undefined ? {} : { python }),
  };
}

const FAILURES = /^(status [1-5]\d\d|connection|timeout|wrong body|no answer)$/;

type Failures = Extract<CaseResult, { state: "completed" }>["summary"]["failures"];

function claimedFailures({ total, byKind }: Failures): Failures {
  const kinds: Record<string, number> = {};
  for (const [kind, count] of Object.entries(byKind)) {
    const known = FAILURES.test(kind) ? kind : "other";
    kinds[known] = (kinds[known] ?? 0) + count;
  }
  return { total, byKind: kinds };
}
