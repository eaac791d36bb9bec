/**
 * A machine that is slower today is no regression. Rows whose server is identical in all files are the anchor: their change
 * is treated as drift of the machine and divided out of the other rows.
 */
import { isDeepStrictEqual } from "node:util";
import type { ServerInfo } from "../results/schema.js";
import type { Matched } from "./history.js";
import { median } from "./median.js";
import type { Metric } from "./metrics.js";
import { mean } from "./moderated.js";

export interface AnchorChoice {
  /** Servers named as anchors. */
  readonly anchors: readonly string[];
  /** Servers under test: every other server that is identical in all files is an anchor. */
  readonly tested: readonly string[];
  /** Whether a row's app is the user's: it may have changed although its server is the same. */
  readonly isOwnApp?: (id: string) => boolean;
}

export interface Anchor {
  readonly rows: readonly Matched[];
  readonly servers: readonly string[];
  /** Why a named server cannot be an anchor. */
  readonly notes: readonly string[];
}

/** An anchor has the same version and packages in head and in every base run, and completed undisturbed in all of them. */
export function chooseAnchor(
  matched: readonly Matched[],
  { anchors, tested, isOwnApp = () => false }: AnchorChoice,
): Anchor {
  const named = (name: string) =>
    anchors.length > 0 ? anchors.includes(name) : tested.length > 0 && !tested.includes(name);
  const rows = matched.filter((row) => named(row.head.server.name) && !isOwnApp(row.head.id) && isPinned(row));
  const servers = [...new Set(rows.map((row) => row.head.server.name))];
  return {
    rows,
    servers,
    notes: anchors.filter((name) => !servers.includes(name)).map((name) => refusal(name, matched, isOwnApp)),
  };
}

function isPinned({ head, base }: Matched): boolean {
  return !head.disturbed && base.every((result) => result !== undefined && isSame(result.server, head.server));
}

function isSame(base: ServerInfo, head: ServerInfo): boolean {
  return base.version !== undefined && isDeepStrictEqual(identity(base), identity(head));
}

function identity({ version, python, packages = [] }: ServerInfo) {
  return { version, python, packages: [...packages].sort() };
}

function refusal(name: string, matched: readonly Matched[], isOwnApp: (id: string) => boolean): string {
  const of = matched.filter((row) => row.head.server.name === name);
  if (of.length > 0 && of.every((row) => isOwnApp(row.head.id)))
    return `${name} cannot be the anchor: all its benchmarks have an app of yours, which may have changed. Add a benchmark with an app of server-bench.`;
  const base = of.flatMap((row) => row.base.flatMap((result) => result?.server.version ?? []));
  const head = of.map((row) => row.head.server.version ?? "unknown");
  const versions = `${[...new Set(base)].join(", ")} in base, ${[...new Set(head)].join(", ")} in head`;
  if (of.length === 0) return `No benchmark of the anchor ${name} was measured in base and head.`;
  return `${name} cannot be the anchor: it must have the same version and packages in all files, and every benchmark complete and undisturbed (${versions}).`;
}

/** How much faster the machine was in head's run than in each base run, on logarithms, and the number of rows that show it. */
export interface Drift {
  readonly shifts: readonly number[];
  readonly rows: number;
}

/**
 * A judgement: a machine that is a fifth faster or slower is in another state (clock, neighbours). That affects servers
 * differently, so one factor does not describe it.
 */
const DRIFT_LIMIT = Math.log(1.2);

/** Whether the drift is too large for any verdict on this metric. */
export function isTooLarge(drift: Drift | undefined): boolean {
  return drift !== undefined && Math.abs(mean(drift.shifts)) > DRIFT_LIMIT;
}

/** Undefined where no row of the anchor has this metric. */
export function driftOf({ rows }: Anchor, metric: Metric): Drift | undefined {
  const usable = rows.flatMap(({ head, base }) => {
    const all = [...base, head];
    if (metric.boundByClient && all.some((result) => result?.summary.clientBound)) return [];
    const logs = all.map((result) => logOf(metric, result));
    return logs.every((log) => log !== undefined) ? [logs] : [];
  });
  const [first] = usable;
  if (!first) return undefined;
  const shifts = first
    .slice(0, -1)
    .map((_, run) => median(usable.map((logs) => (logs.at(-1) ?? 0) - (logs[run] ?? 0))));
  return { shifts, rows: usable.length };
}

/** What the anchor's own noise adds to a variance of 1: that of its rows' mean, or of their median (pi/2 times as much). */
export function addedVariance(rows: number): number {
  return (rows > 2 ? Math.PI / 2 : 1) / rows;
}

export function logOf(metric: Metric, result: Matched["base"][number]): number | undefined {
  const value = result && metric.of(result.summary);
  return value === undefined ? undefined : Math.log(value);
}
