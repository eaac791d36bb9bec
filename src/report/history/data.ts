/** The history, embedded in its page: what the script needs to draw a row and to compare two runs. */
import { type ChangePoint, type History, measuredOf, type RowHistory } from "../../history/model.js";
import type { CaseConfig, ServerName, SetTitle } from "../../history/record.js";
import type { Repository } from "../../history/repository.js";
import { encodeFigures, encodeRepeats } from "../../history/scaled.js";
import type { Environment, ProfileName } from "../../results/schema.js";

export interface HistoryData {
  readonly schema: "server-bench/history-page";
  readonly version: 1;
  readonly about: string;
  readonly repository?: string;
  readonly runs: readonly DataRun[];
  readonly machines: readonly Machine[];
  readonly sets: readonly SetTitle[];
  readonly configs: readonly CaseConfig[];
  readonly servers: readonly ServerName[];
  readonly reasons: readonly string[];
  readonly breaks: readonly (readonly [run: number, before: number, what: readonly string[]])[];
  /** Lists with a number for each run, as value and count. */
  readonly perRun: readonly (readonly number[])[];
  readonly rows: readonly DataRow[];
}

interface DataRun {
  readonly id: string;
  readonly at: string;
  readonly machine: number;
  readonly sha?: string;
  readonly ref?: string;
  readonly release?: string;
  readonly uncommitted?: true;
  readonly unfinished?: true;
}

/** One way of measuring. */
interface Machine {
  readonly environment: Environment;
  readonly profile: ProfileName;
  readonly tool: string;
}

/** Of `flags`. */
export const CLIENT_BOUND = 1;
export const DISTURBED = 2;

export interface DataRow {
  readonly id: string;
  readonly connections: number;
  readonly title: string;
  /** Indexes: in `sets`, and in `perRun`, whose numbers are indexes in `configs` and `servers`, series, and bits. -1: nothing. */
  readonly set: number;
  readonly config: number;
  readonly server: number;
  readonly series: number;
  readonly flags: number;
  readonly throughput: string;
  readonly cpuPerRequest: string;
  /** Run, count. */
  readonly failures?: readonly (readonly [number, number])[];
  /** Run, whether it failed (else skipped), index in `reasons`. */
  readonly missed?: readonly (readonly [number, boolean, number])[];
  readonly breaks?: readonly number[];
  readonly changes?: readonly ChangePoint[];
}

const ABOUT =
  "What this page draws. Figures are rounded to 0.05 % and packed (docs/history-and-releases.md). history.json, in the same folder, has them in full.";

export function historyData(history: History, repository: Repository | undefined): HistoryData {
  const configs = new Table<CaseConfig>();
  const servers = new Table<ServerName>();
  const reasons = new Table<string>();
  const breaks = new Table<readonly [number, number, readonly string[]]>();
  const perRun = new Table<readonly number[]>();
  const sets = new Map(history.sets.map(({ name }, i) => [name, i]));
  const rows = history.rows.map((row): DataRow => {
    const { cases } = row;
    const measured = cases.map(measuredOf);
    const failures = measured.flatMap((one, run) => (one && one.failures > 0 ? [[run, one.failures] as const] : []));
    const missed = cases.flatMap((one, run) =>
      one === undefined || one.outcome.state === "measured"
        ? []
        : [[run, one.outcome.state === "failed", reasons.at(one.outcome.reason)] as const],
    );
    const listed = (of: readonly number[]) => perRun.at(encodeRepeats(of));
    return {
      id: row.id,
      connections: row.connections,
      title: row.title,
      set: sets.get(row.set) ?? 0,
      config: listed(cases.map((one) => (one ? configs.at(one.config) : -1))),
      server: listed(cases.map((one) => (one ? servers.at(one.server) : -1))),
      series: listed(row.series),
      flags: listed(measured.map((one) => (one?.clientBound ? CLIENT_BOUND : 0) + (one?.disturbed ? DISTURBED : 0))),
      throughput: encodeFigures(measured.map((one) => one?.throughput)),
      cpuPerRequest: encodeFigures(measured.map((one) => one?.cpuPerRequest)),
      ...(failures.length > 0 && { failures }),
      ...(missed.length > 0 && { missed }),
      ...(row.breaks.length > 0 && {
        breaks: row.breaks.map(({ run, before, what }) => breaks.at([run, before, what])),
      }),
      ...(row.changes.length > 0 && { changes: row.changes.map(shortened) }),
    };
  });
  return {
    schema: "server-bench/history-page",
    version: 1,
    about: ABOUT,
    ...(repository && { repository: repository.url }),
    runs: history.runs.map(dataRun),
    machines: machinesOf(history),
    sets: history.sets,
    configs: configs.items,
    servers: servers.items,
    reasons: reasons.items,
    breaks: breaks.items,
    perRun: perRun.items,
    rows,
  };
}

function dataRun(run: History["runs"][number]): DataRun {
  return {
    id: run.id,
    at: run.startedAt,
    machine: run.machine,
    ...(run.sha !== undefined && { sha: run.sha }),
    ...(run.ref !== undefined && { ref: run.ref }),
    ...(run.version && { release: run.version.tag }),
    ...(run.uncommitted && { uncommitted: true as const }),
    ...(!run.finished && { unfinished: true as const }),
  };
}

function machinesOf({ runs, machines }: History): Machine[] {
  return machines.flatMap((_, i) => {
    const run = runs.find(({ machine }) => machine === i);
    return run ? [{ environment: run.environment, profile: run.profile, tool: run.tool }] : [];
  });
}

/** More digits than any measurement has. */
const DIGITS = 5;

function shortened(change: RowHistory["changes"][number]): ChangePoint {
  const short = (value: number) => Number(value.toPrecision(DIGITS));
  return {
    ...change,
    oldLevel: short(change.oldLevel),
    newLevel: short(change.newLevel),
    change: short(change.change),
    p: short(change.p),
  };
}

/** Values that repeat, once. */
class Table<T> {
  readonly items: T[] = [];
  readonly #known = new Map<unknown, number>();

  at(value: T): number {
    const quick = typeof value === "object" && value !== null ? this.#known.get(value) : undefined;
    if (quick !== undefined) return quick;
    const key = JSON.stringify(value);
    const index = this.#known.get(key) ?? this.items.length;
    if (index === this.items.length) this.items.push(value);
    this.#known.set(key, index);
    this.#known.set(value, index);
    return index;
  }
}
