/** What a table's cells cannot say: why a row failed or was skipped, which failures there were, what a mark means. */
import type { CaseResult, Failures } from "../../results/schema.js";
import { plural } from "../text/format.js";
import { label, type Row } from "./rows.js";
import type { Column, Note } from "./table.js";

export function tableNotes(rows: readonly Row[], columns: readonly Column[]): Note[] {
  const cases = rows.flatMap((row) => row.cases).map((result) => ({ result, name: rowName(result, columns) }));
  return [
    ...unmeasuredNotes(cases, "failed"),
    ...unmeasuredNotes(cases, "skipped"),
    ...cases.flatMap(failureNote),
    ...clientBoundNote(rows, columns),
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
    const text = `${state}: ${result.reason.slice(0, REASON_CHARACTERS)}`;
    const log = result.state === "failed" ? result.log : undefined;
    const key = log === undefined ? text : `${text.length} ${text}${log}`;
    const note = notes.get(key);
    if (note) note.rows.push(name);
    else notes.set(key, { rows: [name], text, ...(log !== undefined && { log }) });
  }
  return [...notes.values()];
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
const MARKED: readonly string[] = ["rps", "ws-receive", "ws-combined"];

function clientBoundNote(rows: readonly Row[], columns: readonly Column[]): Note[] {
  const bound = rows
    .map((row) => row.shown)
    .filter((shown) => shown.state === "completed" && shown.summary.clientBound);
  if (bound.length === 0) return [];
  const text =
    "client-bound: the server was not kept busy, the load generator or the machine was the limit; its throughput is a lower bound.";
  const marked = columns.some((column) => column.kind === "metric" && MARKED.includes(column.metric));
  return [
    marked
      ? { rows: [], text: `≥ marks a row as ${text}` }
      : { rows: bound.map((shown) => rowName(shown, columns)), text },
  ];
}

function unitNote(columns: readonly Column[]): Note[] {
  const percentiles = columns.some((column) => column.kind === "metric" && /^p\d+$/.test(column.metric));
  return percentiles ? [{ rows: [], text: "Percentiles of the time per request are in milliseconds." }] : [];
}
