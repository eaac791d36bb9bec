/** How a results file is laid out in lines. */
import type { Results } from "./schema.js";

/** JSON with what fits on a line on one line, and a slice or a pair on each: readable, and little larger than without. */
export function formatResults(results: Results): string {
  return [...piecesOf(results), "\n"].join("");
}

/** The text in parts, so that a large file is never one string; without the last line's end. */
export function piecesOf(results: Results): Generator<string> {
  return pieces(results, "", 0);
}

const LINE_WIDTH = 120;
/** Objects in arrays this deep are figures by the hundred: slices, pairs. */
const FIGURES_DEPTH = 4;
/** Containers above this depth are written in pieces. */
const PIECES_DEPTH = 2;

function* pieces(value: unknown, indent: string, depth: number): Generator<string> {
  if (!isContainer(value) || depth > PIECES_DEPTH || !holdsRecords(value)) {
    yield format(value, indent, depth, false).text;
    return;
  }
  const inner = `${indent}  `;
  const [opening, closing] = bracketsOf(value);
  let before = `${opening}\n`;
  for (const [key, item] of entriesOf(value)) {
    yield `${before}${inner}${key === undefined ? "" : `${key}: `}`;
    yield* pieces(item, inner, depth + 1);
    before = ",\n";
  }
  yield `\n${indent}${closing}`;
}

type Container = readonly unknown[] | Readonly<Record<string, unknown>>;

function isContainer(value: unknown): value is Container {
  return typeof value === "object" && value !== null;
}

/** An array of objects, or an object that has one. */
function holdsRecords(value: Container): boolean {
  const isRecords = (item: unknown) => Array.isArray(item) && item.some(isContainer);
  return isRecords(value) || Object.values(value).some(isRecords);
}

function bracketsOf(value: Container): readonly [string, string] {
  return Array.isArray(value) ? ["[", "]"] : ["{", "}"];
}

/** Keys as JSON; none in an array. */
function entriesOf(value: Container): readonly (readonly [string | undefined, unknown])[] {
  if (Array.isArray(value)) return value.map((item: unknown) => [undefined, item] as const);
  return Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => [JSON.stringify(key), item] as const);
}

interface Formatted {
  readonly text: string;
  /** On one line because it fits. */
  readonly flat: boolean;
}

/** From the inside out, so that everything is turned into text once. */
function format(value: unknown, indent: string, depth: number, inArray: boolean): Formatted {
  if (!isContainer(value)) return { text: JSON.stringify(value), flat: true };
  if (inArray && depth >= FIGURES_DEPTH) return oneLine(JSON.stringify(value), indent);
  const inner = `${indent}  `;
  const [opening, closing] = bracketsOf(value);
  const items = entriesOf(value).map(([key, item]) => ({
    key,
    ...format(item, inner, depth + 1, Array.isArray(value)),
  }));
  if (items.every(({ flat }) => flat)) {
    const flat = items.map(({ key, text }) => (key === undefined ? text : `${key}:${text}`)).join(",");
    const line = oneLine(`${opening}${flat}${closing}`, indent);
    if (line.flat) return line;
  }
  const lines = items.map(({ key, text }) => `${inner}${key === undefined ? "" : `${key}: `}${text}`);
  return { text: `${opening}\n${lines.join(",\n")}\n${indent}${closing}`, flat: false };
}

function oneLine(text: string, indent: string): Formatted {
  return { text, flat: text.length + indent.length <= LINE_WIDTH };
}
