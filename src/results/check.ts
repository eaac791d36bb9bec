/** unknown -> Results, with problems that name the field. Shared by reading and writing. */
import * as v from "valibot";
import { fitsSchema } from "./fits.js";
import { type Results, resultsFile, SCHEMA_NAME, SCHEMA_VERSION } from "./schema.js";

/** The schema is six levels deep; anything far beyond is an attack or a mistake. */
const MAX_DEPTH = 32;
const MAX_PROBLEMS = 3;

interface Invalid {
  readonly state: "invalid";
  /** Each as `field: what is wrong`. */
  readonly problems: readonly string[];
}
export type Checked = { readonly state: "valid"; readonly results: Results } | Invalid;

const fitsResults = fitsSchema(resultsFile);

/** Checks shape, finiteness and the references between cases and sets. */
export function checkResults(value: unknown): Checked {
  const checked = fitsResults(value) ? ({ state: "valid", value } as const) : checkSlowly(value);
  if (checked.state === "invalid") return checked;
  const broken = brokenReference(checked.value);
  return broken === undefined ? { state: "valid", results: checked.value } : { state: "invalid", problems: [broken] };
}

function checkSlowly(value: unknown): Shape<typeof resultsFile> {
  const early = strangeKeyOrNumber(value, [], 0) ?? otherFormat(value);
  return early === undefined ? checkFields(resultsFile, value) : { state: "invalid", problems: [early] };
}

/** The same for files of another schema: names that every object inherits, numbers and depth, then the fields. */
export function checkShape<const Schema extends v.GenericSchema>(schema: Schema, value: unknown): Shape<Schema> {
  const early = strangeKeyOrNumber(value, [], 0);
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

/** A schema silently ignores names that every object inherits, and JSON can write numbers that no double holds. */
function strangeKeyOrNumber(value: unknown, path: readonly Key[], depth: number): string | undefined {
  if (depth > MAX_DEPTH) return `${fieldName(path.slice(0, 4))}...: nested deeper than ${MAX_DEPTH} levels`;
  if (typeof value === "number" && !Number.isFinite(value))
    return `${fieldName(path)}: expected a finite number, got ${value}`;
  if (typeof value !== "object" || value === null) return undefined;
  const entries: Iterable<[Key, unknown]> = Array.isArray(value) ? value.entries() : Object.entries(value);
  for (const [key, item] of entries) {
    if (typeof key === "string" && key in Object.prototype) return `${fieldName([...path, key])}: unknown field`;
    const problem = strangeKeyOrNumber(item, [...path, key], depth + 1);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/** Told apart from a broken file: the way out is another one. */
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

function brokenReference(results: Results): string | undefined {
  const sets = new Set<string>();
  for (const [i, set] of results.sets.entries()) {
    if (sets.has(set.name)) return `sets[${i}].name: ${shown(set.name)} is there twice`;
    sets.add(set.name);
  }
  const seen = new Map<string, number>();
  for (const [i, result] of results.cases.entries()) {
    if (!sets.has(result.set)) return `cases[${i}].set: ${shown(result.set)} is not one of the file's sets`;
    const earlier = seen.get(caseKey(result));
    if (earlier !== undefined) {
      const name = `${result.id}, side ${result.side}, ${result.connections} connections`;
      return `cases[${i}]: the same case (${name}) as cases[${earlier}]`;
    }
    seen.set(caseKey(result), i);
  }
  return undefined;
}

function explain(issue: v.BaseIssue<unknown>): string {
  const field = fieldName((issue.path ?? []).map((item) => item.key as Key));
  if (issue.expected === "never") return `${field}: unknown field`;
  if (issue.received === "undefined") return `${field}: is missing`;
  const expected = issue.kind === "validation" ? issue.message : `expected ${issue.expected ?? "something else"}`;
  return issue.kind === "validation" ? `${field}: ${expected}` : `${field}: ${expected}, got ${shown(issue.input)}`;
}

/** `cases[3].summary.requestsPerSec` */
function fieldName(path: readonly Key[]): string {
  if (path.length === 0) return "(the whole file)";
  return path.map((key, i) => (typeof key === "number" ? `[${key}]` : i === 0 ? key : `.${clip(key)}`)).join("");
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  return clip(JSON.stringify(value) ?? String(value));
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
