/** history.json: the whole history for programs. A change of a field's meaning raises the version. */
import { changesOf } from "./change-words.js";
import { type History, MIN_RUNS, measuredOf, type RowHistory } from "./model.js";
import { METRICS } from "./record.js";
import type { Repository } from "./repository.js";

const SCHEMA = "server-bench/history";
const VERSION = 1;
/** More digits than any measurement has. */
const DIGITS = 7;

/** One line per run and row: a file of a thousand rows can be read and compared. */
export function historyFile(history: History, repository: Repository | undefined): string {
  const changes = changesOf(history, repository);
  const index = new Map(history.rows.map((row, i) => [row, i]));
  const parts: readonly (readonly [string, unknown])[] = [
    ["schema", SCHEMA],
    ["version", VERSION],
    ["order", history.order],
    ...(repository ? [["repository", repository.url] as const] : []),
    ["leastRuns", MIN_RUNS],
    ["tested", history.tested],
    ["machines", history.machines],
    ["sets", history.sets],
    [
      "runs",
      history.runs.map(({ environment: _, version, ...run }) => ({
        ...run,
        ...(version && { version: version.tag }),
      })),
    ],
    ["rows", history.rows.map(rowOf)],
    [
      "changePoints",
      changes.map(({ row, change, address, cautions }) => ({
        row: index.get(row),
        ...change,
        oldLevel: rounded(change.oldLevel),
        newLevel: rounded(change.newLevel),
        change: rounded(change.change),
        p: rounded(change.p),
        ...(address !== undefined && { commits: address }),
        cautions,
      })),
    ],
    ["leftOut", history.leftOut],
  ];
  const lines = parts.map(([name, value]) => `  ${JSON.stringify(name)}: ${linesOf(value)}`);
  return `{\n${lines.join(",\n")}\n}\n`;
}

function linesOf(value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return JSON.stringify(value);
  return `[\n${value.map((item) => `    ${JSON.stringify(item)}`).join(",\n")}\n  ]`;
}

function rowOf({ id, connections, title, set, server, interface: name, cases, series, breaks }: RowHistory) {
  const measured = cases.map(measuredOf);
  const runsWith = (is: (one: NonNullable<(typeof measured)[number]>) => boolean) =>
    measured.flatMap((one, run) => (one && is(one) ? [run] : []));
  return {
    id,
    connections,
    title,
    set,
    server,
    interface: name,
    ...Object.fromEntries(METRICS.map((metric) => [metric.name, measured.map((one) => rounded(one?.[metric.name]))])),
    series,
    breaks,
    clientBound: runsWith(({ clientBound }) => clientBound),
    disturbed: runsWith(({ disturbed }) => disturbed),
    failures: measured.flatMap((one, run) => (one && one.failures > 0 ? [[run, one.failures]] : [])),
    missed: cases.flatMap((one, run) =>
      one && one.outcome.state !== "measured" ? [[run, one.outcome.state, one.outcome.reason]] : [],
    ),
  };
}

function rounded(value: number | undefined): number | null {
  return value === undefined ? null : Number(value.toPrecision(DIGITS));
}
