/** TOML files of a project: their values, and the lines that name them. */
import { parse, TomlError } from "smol-toml";
import { InputError } from "../errors.js";
import { placeOf } from "./text-places.js";

export type Table = Readonly<Record<string, unknown>>;

/** @throws InputError with file and line for a file that is no TOML */
export function parseToml(file: string, text: string): Table {
  try {
    return parse(text);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    const problem = error.message.split("\n")[0]?.replace(/^Invalid TOML document: /, "");
    throw new InputError(`${file}:${error.line}: not valid TOML: ${problem}`);
  }
}

/** The table at a path; an empty one where it is missing. */
export function tableAt(table: Table, ...path: readonly string[]): Table {
  let current: unknown = table;
  for (const key of path) current = isTable(current) ? current[key] : undefined;
  return isTable(current) ? current : {};
}

export function isTable(value: unknown): value is Table {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

export function textsIn(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string") : [];
}

/** The place of the first line that has this text. The parser keeps no positions. */
export function placeOfText(file: string, text: string, wanted: string): string {
  const index = text.indexOf(wanted);
  return index < 0 ? `${file}:1` : placeOf(file, text, index);
}
