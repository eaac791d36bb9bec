/** Schemas of single values, shared by the files that server-bench reads and writes. */
import * as v from "valibot";
import {
  ID_CHARACTERS,
  LINE_CHARACTERS,
  NAME_CHARACTERS,
  TEXT_CHARACTERS,
  TITLE_CHARACTERS,
  WORDS_MAX,
} from "./limits.js";

export const finite = v.pipe(v.number(), v.finite());
export const amount = v.pipe(finite, v.minValue(0));
export const count = v.pipe(v.number(), v.integer(), v.minValue(0));
export const timestamp = v.pipe(v.string(), v.isoTimestamp());

export const text = shortText(TEXT_CHARACTERS);
export const title = shortText(TITLE_CHARACTERS);
export const line = shortText(LINE_CHARACTERS);
export const rowId = shortText(ID_CHARACTERS);

export function shortText(characters: number) {
  return v.pipe(v.string(), v.maxLength(characters, `expected at most ${characters} characters`));
}

/** The length is checked first: a list that is too long costs no time. @param what of the message: `cases` */
export function list<const Item extends v.GenericSchema>(item: Item, limit: number, what: string) {
  return v.pipe(v.array(v.unknown()), v.maxLength(limit, `expected at most ${limit} ${what}`), v.array(item));
}

/** Name -> value. */
export function record<const Value extends v.GenericSchema>(value: Value, limit: number, what: string) {
  return v.pipe(v.record(shortText(NAME_CHARACTERS), value), v.maxEntries(limit, `expected at most ${limit} ${what}`));
}

/** argv */
export const command = list(text, WORDS_MAX, "words");
