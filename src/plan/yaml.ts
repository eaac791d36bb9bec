/** YAML text -> a checked value, with errors that name file, line and field. */

import * as v from "valibot";
import { type Document, isNode, LineCounter, parseDocument, type YAMLParseError } from "yaml";
import { InputError } from "../errors.js";
import { clip } from "../messages/clip.js";
import { FILE_CHARACTERS, NESTING_MAX } from "./limits.js";
import { didYouMean } from "./nearest.js";
import { fieldName, type Key, type Source } from "./source.js";
import { limitProblem } from "./yaml-limits.js";

/** @throws InputError with every problem of the file, one line each. */
export function parseYaml<Schema extends v.GenericSchema>(
  text: string,
  file: string,
  schema: Schema,
): Source<v.InferOutput<Schema>> {
  if (text.length > FILE_CHARACTERS)
    throw new InputError(
      `${file}: has ${text.length} characters; a scenario file may have ${FILE_CHARACTERS}: split it`,
    );
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, logLevel: "error" });
  const syntax = document.errors[0];
  if (syntax) {
    const { line, col } = lines.linePos(syntax.pos[0]);
    throw new InputError(`${file}:${line}:${col}: ${syntaxProblem(syntax, text)}`);
  }
  const at = (path: readonly Key[]) => locate(document, lines, file, path);
  const beyond = limitProblem(document);
  if (beyond) throw new InputError(`${at(beyond.path)}: ${beyond.problem}`);
  // The aliases were counted above.
  const raw: unknown = document.toJS({ maxAliasCount: -1 });
  const result = v.safeParse(schema, raw, { abortPipeEarly: true });
  if (!result.success) {
    const problems = result.issues.flatMap((issue) => explain(issue, schema, at));
    throw new InputError([...new Set(problems)].slice(0, 10).join("\n"));
  }
  return { file, value: result.output, at };
}

function syntaxProblem({ code, message, pos }: YAMLParseError, text: string): string {
  // The parser reports the end of its stack as an error of the file.
  if (/call stack/.test(message)) return `is nested deeper than ${NESTING_MAX} levels`;
  const start = text.lastIndexOf("\n", pos[0] - 1) + 1;
  if (code === "TAB_AS_INDENT" || /^ *\t/.test(text.slice(start, start + FILE_CHARACTERS)))
    return "a tab is in the indentation: YAML indents with spaces";
  return `not valid YAML: ${message}`;
}

function locate(document: Document, lines: LineCounter, file: string, path: readonly Key[]): string {
  // A missing field has no position in the file; its parent has one.
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return `${file}:${lines.linePos(node.range[0]).line}: ${fieldName(path)}`;
  }
  return `${file}: ${fieldName(path)}`;
}

function explain(
  issue: v.BaseIssue<unknown>,
  schema: v.GenericSchema,
  at: (path: readonly Key[]) => string,
  prefix: readonly Key[] = [],
): string[] {
  const path = [...prefix, ...(issue.path ?? []).map((item) => item.key as Key)];
  // Of a union's members, the one that got furthest is the one that was meant.
  const deeper = issue.type === "union" ? (issue.issues ?? []).filter((inner) => inner.path) : [];
  if (deeper.length > 0) return deeper.flatMap((inner) => explain(inner, schema, at, path));
  const key = path.at(-1);
  if (key === "<<")
    return [`${at(path)}: YAML 1.2 has no merge key: write the fields, or start from another entry with extends`];
  if (issue.expected === "never") {
    const known = fieldsAt(schema, path.slice(0, -1));
    return [
      `${at(path)}: unknown field "${String(key)}"${didYouMean(String(key), known) || "."} Fields: ${known.join(", ")}`,
    ];
  }
  if (issue.received === "undefined") return [`${at(path)}: is missing`];
  const expected = issue.kind === "validation" ? issue.message : (issue.expected ?? issue.message);
  const choices = [...expected.matchAll(/"([^"]+)"/g)].map((match) => match[1] ?? "");
  const hint = typeof issue.input === "string" ? didYouMean(issue.input, choices) : "";
  return [`${at(path)}: got ${shown(issue.input)}, expected ${readable(expected)}${hint}`];
}

function shown(value: unknown): string {
  return clip(JSON.stringify(value) ?? String(value), 60);
}

function readable(expected: string): string {
  return expected
    .replace(/^\((.*)\)$/, "$1")
    .replaceAll(" | ", " or ")
    .replace("Object", "a mapping")
    .replace("Array", "a list");
}

interface Walkable {
  readonly type: string;
  readonly entries?: Record<string, Walkable>;
  readonly item?: Walkable;
  readonly value?: Walkable;
  readonly wrapped?: Walkable;
  readonly options?: readonly Walkable[];
  /** Of a schema that depends on its input. */
  readonly getter?: (input: unknown) => Walkable;
}

/** Field names of the mapping at a path of the schema. */
function fieldsAt(schema: v.GenericSchema, path: readonly Key[]): string[] {
  let candidates = [schema as unknown as Walkable];
  const open = (node: Walkable): Walkable[] => {
    const inner = node.wrapped ?? node.getter?.(undefined);
    if (inner) return open(inner);
    return node.type === "union" ? (node.options ?? []).flatMap(open) : [node];
  };
  for (const key of path) {
    candidates = candidates.flatMap(open).flatMap((node) => {
      const next = node.entries?.[String(key)] ?? node.item ?? (node.type === "record" ? node.value : undefined);
      return next ? [next] : [];
    });
  }
  return [...new Set(candidates.flatMap(open).flatMap((node) => Object.keys(node.entries ?? {})))];
}
