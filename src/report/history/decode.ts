/** The embedded data -> rows that can be drawn, and the results of a run that can be compared. Pure: the page's script uses it. */
import type { ChangePoint } from "../../history/model.js";
import type { MetricName } from "../../history/record.js";
import { decodeFigures, decodeRepeats } from "../../history/scaled.js";
import type { CaseResult, Results, Summary } from "../../results/schema.js";
import { CLIENT_BOUND, type DataRow, DISTURBED, type HistoryData } from "./data.js";

export interface DecodedRow {
  readonly series: readonly number[];
  readonly figures: Readonly<Record<MetricName, readonly (number | undefined)[]>>;
  readonly flags: readonly number[];
  readonly config: readonly number[];
  readonly server: readonly number[];
  readonly failures: ReadonlyMap<number, number>;
  readonly missed: ReadonlyMap<number, { readonly failed: boolean; readonly reason: string }>;
  readonly breaks: readonly { readonly run: number; readonly before: number; readonly what: readonly string[] }[];
  readonly changes: readonly ChangePoint[];
}

export function decodeRow(row: DataRow, data: HistoryData): DecodedRow {
  const perRun = (index: number) => decodeRepeats(data.perRun[index] ?? []);
  return {
    series: perRun(row.series),
    figures: { throughput: decodeFigures(row.throughput), cpuPerRequest: decodeFigures(row.cpuPerRequest) },
    flags: perRun(row.flags),
    config: perRun(row.config),
    server: perRun(row.server),
    failures: new Map(row.failures ?? []),
    missed: new Map(
      (row.missed ?? []).map(([run, failed, reason]) => [run, { failed, reason: data.reasons[reason] ?? "" }]),
    ),
    breaks: (row.breaks ?? []).flatMap((index) => {
      const found = data.breaks[index];
      return found ? [{ run: found[0], before: found[1], what: found[2] }] : [];
    }),
    changes: row.changes ?? [],
  };
}

/**
 * One run as `compare` reads it. The fields that comparing does not read (latency, slices, memory) are empty.
 * @param decoded rows, in the order of data.rows
 */
export function resultsOfRun(data: HistoryData, decoded: readonly DecodedRow[], run: number): Results | undefined {
  const facts = data.runs[run];
  const machine = facts && data.machines[facts.machine];
  if (!facts || !machine) return undefined;
  const cases = data.rows.flatMap((row, i) => {
    const values = decoded[i];
    return values ? caseOf(data, row, values, run) : [];
  });
  return {
    schema: "server-bench/results",
    version: 1,
    run: {
      id: facts.id,
      startedAt: facts.at,
      finishedAt: facts.unfinished ? null : facts.at,
      tool: { version: machine.tool },
      ...(facts.sha !== undefined && {
        git: {
          sha: facts.sha,
          ...(facts.ref !== undefined && { ref: facts.ref }),
          ...(facts.uncommitted && { uncommitted: true as const }),
        },
      }),
      profile: machine.profile,
      command: [],
      warnings: [],
      measuredSec: 0,
      loadShare: 0,
    },
    environment: machine.environment,
    sets: setsOf(data, cases),
    cases,
  };
}

function setsOf({ sets }: HistoryData, cases: readonly CaseResult[]): Results["sets"] {
  const measured = new Set(cases.map(({ set }) => set));
  return sets
    .filter(({ name }) => measured.has(name))
    .map(({ name, title }) => ({ name, title, methodology: [], label: "", knobColumns: {}, columns: [] }));
}

function caseOf(data: HistoryData, row: DataRow, values: DecodedRow, run: number): CaseResult[] {
  const config = data.configs[values.config[run] ?? -1];
  const server = data.servers[values.server[run] ?? -1];
  if (!config || !server) return [];
  const fields = {
    id: row.id,
    set: data.sets[row.set]?.name ?? "",
    title: row.title,
    side: "head" as const,
    knobs: config.knobs,
    server: {
      name: config.server,
      title: server.title,
      ...(server.version !== undefined && { version: server.version }),
      interface: config.interface,
      command: [],
      ...(config.python !== undefined && { python: config.python }),
    },
    connections: row.connections,
    // The first word is the program.
    ...(config.load && { generatorCommand: ["", ...config.load] }),
  };
  const missed = values.missed.get(run);
  if (missed) return [{ ...fields, state: missed.failed ? "failed" : "skipped", reason: missed.reason }];
  const flags = values.flags[run] ?? 0;
  return [
    {
      ...fields,
      state: "completed",
      summary: summaryOf(values, run),
      slices: [],
      wallSec: 0,
      ...((flags & DISTURBED) !== 0 && { disturbed: true as const }),
    },
  ];
}

function summaryOf({ figures, flags, failures }: DecodedRow, run: number): Summary {
  return {
    requests: 0,
    requestsPerSec: figures.throughput[run] ?? 0,
    failures: { total: failures.get(run) ?? 0, byKind: {} },
    latencyMs: { mean: 0, p50: 0, p75: 0, p90: 0, p95: 0, p99: 0, max: 0 },
    cpuPerRequestUs: figures.cpuPerRequest[run] ?? 0,
    peakMemoryMiB: 0,
    clientBound: ((flags[run] ?? 0) & CLIENT_BOUND) !== 0,
    serverCpu: 0,
    clientCpu: 0,
  };
}
