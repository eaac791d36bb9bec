/** The notes below a table: why a row failed or was skipped, which failures there were, what a mark means. */

import { plural } from "../../messages/sentence.js";
import type { CaseResult, Failures } from "../../results/schema.js";
import { DISTURBED_MARK, shownSpread } from "./metric-cell.js";
import { label, type Row } from "./rows.js";
import type { Column, Note, Table } from "./table.js";

export function tableNotes(rows: readonly Row[], columns: readonly Column[]): Note[] {
  const cases = rows.flatMap((row) => row.cases).map((result) => ({ result, name: rowName(result, columns) }));
  return [
    ...unmeasuredNotes(cases, "failed"),
    ...unmeasuredNotes(cases, "skipped"),
    ...cases.flatMap(failureNote),
    ...clientBoundNote(rows, columns),
    ...spreadNote(rows, columns),
    ...disturbedNote(rows, columns),
    ...unitNote(columns),
  ];
}

interface Named {
  readonly result: CaseResult;
  readonly name: string;
}

/** The first cell, and those of the knobs: `workers (c256), Processes 2`. */
function rowName(result: CaseResult, columns: readonly Column[]): string {
  const knobs = columns.flatMap((column) =>
    column.kind === "knob" ? [`${column.heading} ${result.knobs[column.knob] ?? ""}`.trim()] : [],
  );
  return [label(result), ...knobs].join(", ");
}

/** More than is shown of a reason. */
const REASON_CHARACTERS = 4000;

/** Rows that share a server often share its failure: they share one note. */
function unmeasuredNotes(cases: readonly Named[], state: "failed" | "skipped"): Note[] {
  const notes = new Map<string, { readonly rows: string[]; readonly text: string; readonly log?: string }>();
  for (const { result, name } of cases) {
    if (result.state === "completed" || result.state !== state) continue;
    const text = unmeasuredText(state, result.reason);
    const log = result.state === "failed" ? result.log : undefined;
    const key = JSON.stringify([text, log]);
    const note = notes.get(key);
    if (note) note.rows.push(name);
    else notes.set(key, { rows: [name], text, ...(log !== undefined && { log }) });
  }
  return [...notes.values()].map((note) => ofAllRows(note, cases.length));
}

/** The reason of a failed build names what failed already. */
function unmeasuredText(state: "failed" | "skipped", reason: string): string {
  const start = reason.slice(0, REASON_CHARACTERS);
  return /^\S+ does not build\b/.test(start) ? start : `${state}: ${start}`;
}

/** More names than this would hide the reason. */
const FEW_ROWS = 3;

function ofAllRows(note: Note, count: number): Note {
  if (note.rows.length < count || count <= FEW_ROWS) return note;
  return { ...note, rows: [], text: `All ${count} benchmarks: ${note.text}` };
}

/**
 * A table without the logs that an earlier table shows: rows of several sets share a build.
 * @param shown log -> the set that shows it; new logs are added
 */
export function withNewLogs(table: Table, set: string, shown: Map<string, string>): Table {
  const notes = table.notes.map((note): Note => {
    const earlier = note.log === undefined ? undefined : shown.get(note.log);
    if (note.log !== undefined && earlier === undefined) shown.set(note.log, set);
    if (earlier === undefined) return note;
    const { log: _, ...rest } = note;
    return { ...rest, text: `${note.text} (log: see ${earlier})` };
  });
  return { ...table, notes };
}

function failureNote({ result, name }: Named): Note[] {
  if (result.state !== "completed" || result.summary.failures.total === 0) return [];
  return [{ rows: [name], text: failureText(result.summary.failures) }];
}

/** `32 failures: 20 connection, 12 status 500` */
function failureText({ total, byKind }: Failures): string {
  const kinds = Object.entries(byKind)
    .filter(([, count]) => count > 0)
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${count} ${kind}`);
  return plural(total, "failure") + (kinds.length > 0 ? `: ${kinds.join(", ")}` : "");
}

/** The columns in which a lower bound is marked. */
const MARKED: readonly string[] = ["rps", "mb-per-sec", "ws-receive", "ws-combined"];

function clientBoundNote(rows: readonly Row[], columns: readonly Column[]): Note[] {
  const bound = rows
    .map((row) => row.shown)
    .filter((shown) => shown.state === "completed" && shown.summary.clientBound);
  if (bound.length === 0) return [];
  const text =
    "client-bound: the load generator or the machine was the limit, not the server; its throughput is a lower bound.";
  const marked = columns.some((column) => column.kind === "metric" && MARKED.includes(column.metric));
  return [
    marked
      ? { rows: [], text: `≥ marks a benchmark as ${text}` }
      : { rows: bound.map((shown) => rowName(shown, columns)), text },
  ];
}

function spreadNote(rows: readonly Row[], columns: readonly Column[]): Note[] {
  const marked = columns.some((column) => column.kind === "metric" && THROUGHPUTS.includes(column.metric));
  if (!marked || !rows.some(({ shown }) => shown.state === "completed" && shownSpread(shown) !== "")) return [];
  return [
    { rows: [], text: "± is the standard deviation of the throughput between tenths of the window, if above 3 %." },
  ];
}

/** One note for the table: how much others took, at the least and at the most. */
function disturbedNote(rows: readonly Row[], columns: readonly Column[]): Note[] {
  const disturbed = rows.map((row) => row.shown).filter((shown) => shown.state === "completed" && shown.disturbed);
  if (disturbed.length === 0) return [];
  const shares = disturbed.flatMap((shown) => (shown.state === "completed" ? [shown.othersShare ?? 0] : []));
  const [low, high] = [Math.min(...shares), Math.max(...shares)].map((share) => (share * 100).toFixed(0));
  const took = low === high ? `${high} %` : `${low} to ${high} %`;
  const text = `disturbed: other processes took ${took} of the CPU time of server and load generator, or the hypervisor gave time to others; do not compare it with others.`;
  const marked = columns.some((column) => column.kind === "metric" && THROUGHPUTS.includes(column.metric));
  return [
    marked
      ? { rows: [], text: `${DISTURBED_MARK.trim()} marks a benchmark as ${text}` }
      : { rows: disturbed.map((shown) => rowName(shown, columns)), text },
  ];
}

/** The columns in which a disturbed row is marked. */
const THROUGHPUTS: readonly string[] = ["rps", "mb-per-sec", "ws-send", "ws-receive", "ws-combined"];

function unitNote(columns: readonly Column[]): Note[] {
  const percentiles = columns.some((column) => column.kind === "metric" && /^p\d/.test(column.metric));
  return percentiles ? [{ rows: [], text: "Percentiles of the time per request are in milliseconds." }] : [];
}
