/** A slower day is no regression: rows that cannot have changed tell how fast the day was. */
import { isDeepStrictEqual } from "node:util";
import type { ServerInfo } from "../results/schema.js";
import type { Matched } from "./history.js";
import type { Metric } from "./metrics.js";
import { mean } from "./moderated.js";

export interface AnchorChoice {
  /** Servers named as the control. */
  readonly anchors: readonly string[];
  /** Servers under test: every other one that is the same in all files is a control. */
  readonly tested: readonly string[];
}

export interface Anchor {
  readonly rows: readonly Matched[];
  readonly servers: readonly string[];
  /** Why a server that was named is none. */
  readonly notes: readonly string[];
}

/** A control is the same server, version and packages in head and in every base run, and completed in all of them. */
export function chooseAnchor(matched: readonly Matched[], { anchors, tested }: AnchorChoice): Anchor {
  const named = (name: string) =>
    anchors.length > 0 ? anchors.includes(name) : tested.length > 0 && !tested.includes(name);
  const rows = matched.filter((row) => named(row.head.server.name) && isPinned(row));
  const servers = [...new Set(rows.map((row) => row.head.server.name))];
  return {
    rows,
    servers,
    notes: anchors.filter((name) => !servers.includes(name)).map((name) => refusal(name, matched)),
  };
}

function isPinned({ head, base }: Matched): boolean {
  return base.every((result) => result !== undefined && isSame(result.server, head.server));
}

function isSame(base: ServerInfo, head: ServerInfo): boolean {
  return base.version !== undefined && isDeepStrictEqual(identity(base), identity(head));
}

function identity({ version, python, packages = [] }: ServerInfo) {
  return { version, python, packages: [...packages].sort() };
}

function refusal(name: string, matched: readonly Matched[]): string {
  const of = matched.filter((row) => row.head.server.name === name);
  const base = of.flatMap((row) => row.base.flatMap((result) => result?.server.version ?? []));
  const head = of.map((row) => row.head.server.version ?? "unknown");
  const versions = `${[...new Set(base)].join(", ")} in base, ${[...new Set(head)].join(", ")} in head`;
  if (of.length === 0) return `No row of the control ${name} was measured in base and head: nothing is divided out.`;
  return `${name} is no control: it must have the same version and packages in all files, and no row missing or disturbed in one (${versions}).`;
}

/** How much faster head's day was than each base run's, on logarithms, and how many rows tell so. */
export interface DaySpeed {
  readonly shifts: readonly number[];
  readonly rows: number;
}

/**
 * A judgement: a machine that is a fifth faster or slower is in another state (clock, neighbours), which hits servers
 * differently, so one factor no longer describes it.
 */
const DAY_LIMIT = Math.log(1.2);

/** Whether the days are too far apart for any verdict on this metric. */
export function isTooFar(day: DaySpeed | undefined): boolean {
  return day !== undefined && Math.abs(mean(day.shifts)) > DAY_LIMIT;
}

/** Undefined where no control has this metric. */
export function daySpeed({ rows }: Anchor, metric: Metric): DaySpeed | undefined {
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

/** What the controls' own noise adds to a variance of 1: that of their mean, or of their median (pi/2 times as much). */
export function addedVariance(rows: number): number {
  return (rows > 2 ? Math.PI / 2 : 1) / rows;
}

export function logOf(metric: Metric, result: Matched["base"][number]): number | undefined {
  const value = result && metric.of(result.summary);
  return value === undefined ? undefined : Math.log(value);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return mean(sorted.slice(Math.floor(middle), Math.ceil(middle) + 1));
}
