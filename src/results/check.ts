/** unknown -> Results, with problems that name the field. Shared by reading and writing. */

import * as v from "valibot";
import { clip } from "../messages/clip.js";
import { fastValidator } from "./fast-validate.js";
import { BARS_MAX } from "./limits.js";
import { type Results, resultsFile, SCHEMA_NAME, SCHEMA_VERSION } from "./schema.js";

/** The schema has nine levels; anything far deeper is an attack or a mistake. */
const MAX_DEPTH = 32;
const MAX_PROBLEMS = 3;

interface Invalid {
  readonly state: "invalid";
  /** Each as `field: what is wrong`. */
  readonly problems: readonly string[];
}
export type Checked = { readonly state: "valid"; readonly results: Results } | Invalid;

const isExactlyResults = fastValidator(resultsFile);

/** Checks shape, finiteness and the references between cases and sets. Unknown fields are left out of the result. */
export function checkResults(value: unknown): Checked {
  const checked = isExactlyResults(value) ? ({ state: "valid", value } as const) : checkSlowly(value);
  if (checked.state === "invalid") return checked;
  const broken = brokenReference(checked.value) ?? tooManyBars(checked.value);
  return broken === undefined ? { state: "valid", results: checked.value } : { state: "invalid", problems: [broken] };
}

/** For what server-bench itself writes: a field that no reader knows is a mistake too. */
export function checkOwnResults(value: unknown): Checked {
  const checked = checkResults(value);
  if (checked.state === "invalid" || checked.results === value) return checked;
  const unknown = unknownField(value, checked.results, []);
  return unknown === undefined ? checked : { state: "invalid", problems: [`${fieldName(unknown)}: unknown field`] };
}

function checkSlowly(value: unknown): Shape<typeof resultsFile> {
  const early = hostileKeyOrNumber(value) ?? otherFormat(value);
  return early === undefined ? checkFields(resultsFile, value) : { state: "invalid", problems: [early] };
}

/** The same for files of another schema: inherited names, numbers and depth, then the fields. */
export function checkShape<const Schema extends v.GenericSchema>(schema: Schema, value: unknown): Shape<Schema> {
  const early = hostileKeyOrNumber(value);
  return early === undefined ? checkFields(schema, value) : { state: "invalid", problems: [early] };
}

type Shape<Schema extends v.GenericSchema> =
  | { readonly state: "valid"; readonly value: v.InferOutput<Schema> }
  | Invalid;

function checkFields<const Schema extends v.GenericSchema>(schema: Schema, value: unknown): Shape<Schema> {
  const parsed = v.safeParse(schema, value, { abortPipeEarly: true });
  if (parsed.success) return { state: "valid", value: parsed.output };
  const problems = [...new Set(parsed.issues.map(explain))];
  const more = problems.length - MAX_PROBLEMS;
  const shown = problems.slice(0, MAX_PROBLEMS);
  return { state: "invalid", problems: more > 0 ? [...shown, `and ${more} more`] : shown };
}

/** What identifies a case within a file. */
export function caseKey(result: Results["cases"][number]): string {
  return JSON.stringify([result.id, result.side, result.connections]);
}

type Key = string | number;

function entriesOf(value: object): Iterable<[Key, unknown]> {
  return Array.isArray(value) ? value.entries() : Object.entries(value);
}

/**
 * The first problem that a schema does not see, or sees too late: a name that every object inherits (valibot ignores it),
 * a number that JSON can write and no double can hold, and nesting that would overflow the stack.
 */
function hostileKeyOrNumber(value: unknown): string | undefined {
  const path: Key[] = [];
  const visit = (item: unknown): string | undefined => {
    if (path.length > MAX_DEPTH) return `${fieldName(path.slice(0, 4))}...: nested deeper than ${MAX_DEPTH} levels`;
    if (typeof item === "number" && !Number.isFinite(item))
      return `${fieldName(path)}: expected a finite number, got ${item}`;
    if (typeof item !== "object" || item === null) return undefined;
    for (const [key, inner] of entriesOf(item)) {
      path.push(key);
      const isInherited = typeof key === "string" && key in Object.prototype;
      const problem = isInherited ? `${fieldName(path)}: unknown field` : visit(inner);
      if (problem !== undefined) return problem;
      path.pop();
    }
    return undefined;
  };
  return visit(value);
}

/** Path of the first field that validation left out. */
function unknownField(value: unknown, checked: unknown, path: readonly Key[]): readonly Key[] | undefined {
  if (typeof value !== "object" || value === null || typeof checked !== "object" || checked === null) return undefined;
  const known = new Map(entriesOf(checked));
  for (const [key, item] of entriesOf(value)) {
    const at = [...path, key];
    const unknown = known.has(key) || item === undefined ? unknownField(item, known.get(key), at) : at;
    if (unknown !== undefined) return unknown;
  }
  return undefined;
}

/** A file of another kind or version needs another remedy than a broken one. */
function otherFormat(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return `expected the object that server-bench writes, got ${shown(value)}`;
  const { schema, version } = value as Record<string, unknown>;
  if (schema !== SCHEMA_NAME) return `schema: expected "${SCHEMA_NAME}", got ${shown(schema)}: not a results file`;
  if (version === SCHEMA_VERSION) return undefined;
  return typeof version === "number" && version > SCHEMA_VERSION
    ? `version: written by a newer server-bench: version ${version}; this one reads ${SCHEMA_VERSION}: update server-bench`
    : `version: expected ${SCHEMA_VERSION}, got ${shown(version)}`;
}

function tooManyBars({ sets, cases }: Results): string | undefined {
  const count = new Map<string, number>();
  for (const { set, side } of cases) if (side === "head") count.set(set, (count.get(set) ?? 0) + 1);
  let bars = 0;
  for (const [i, { name, charts = [] }] of sets.entries()) {
    bars += charts.length * (count.get(name) ?? 0);
    if (bars > BARS_MAX) return `sets[${i}].charts: expected at most ${BARS_MAX} bars in all charts`;
  }
  return undefined;
}

function brokenReference(results: Results): string | undefined {
  const sets = new Set<string>();
  for (const [i, set] of results.sets.entries()) {
    if (sets.has(set.name)) return `sets[${i}].name: ${shown(set.name)} is there twice`;
    sets.add(set.name);
  }
  const seen = new Map<string, number>();
  for (const [i, result] of results.cases.entries()) {
    if (!sets.has(result.set)) return `cases[${i}].set: ${shown(result.set)} is not one of the file's sets`;
    const key = caseKey(result);
    const earlier = seen.get(key);
    if (earlier !== undefined) {
      const name = `${result.id}, side ${result.side}, ${result.connections} connections`;
      return `cases[${i}]: the same case (${clip(name, SHOWN_CHARACTERS)}) as cases[${earlier}]`;
    }
    seen.set(key, i);
  }
  return undefined;
}

function explain(issue: v.BaseIssue<unknown>): string {
  const field = fieldName((issue.path ?? []).map((item) => item.key as Key));
  if (issue.expected === "never") return `${field}: unknown field`;
  if (issue.received === "undefined") return `${field}: is missing`;
  if (issue.kind === "validation") return `${field}: ${clip(issue.message, MESSAGE_CHARACTERS)}`;
  return `${field}: expected ${issue.expected ?? "something else"}, got ${shown(issue.input)}`;
}

/** `cases[3].summary.requestsPerSec` */
function fieldName(path: readonly Key[]): string {
  if (path.length === 0) return "(the whole file)";
  return path
    .map((key, i) => (typeof key === "number" ? `[${key}]` : `${i === 0 ? "" : "."}${clip(key, SHOWN_CHARACTERS)}`))
    .join("");
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return clip(JSON.stringify(value) ?? String(value), SHOWN_CHARACTERS);
}

const SHOWN_CHARACTERS = 100;
/** Valibot's own messages quote the whole value. */
const MESSAGE_CHARACTERS = 200;
