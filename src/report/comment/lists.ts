/** Lists of a comment: few and short items, so that none of them can fill it. */
import { codeSpan, escapeText, plainText } from "../text/escape.js";
import type { Section } from "../text/fit-to-limit.js";
import { fitText } from "../text/width.js";

/** What a comment leaves out first has the lowest. */
export const ORDER = {
  logs: 0,
  recent: 1,
  /** Sets without a change, the last one first. */
  quietSets: 2,
  how: 3,
  profiles: 4,
  changedSets: 5,
  cannot: 6,
  unchanged: 7,
  inconclusive: 8,
  shortLists: 9,
  /** Cut to the lines that there is room for. */
  changes: 10,
  lists: 11,
} as const;

/** Code points of a reason, a note or a warning: the report has all of it. */
export const REASON_LIMIT = 300;
/** Why there is no base has two parts: why it cannot be measured, and why no stored results are one. */
export const BASE_REASON_LIMIT = 2 * REASON_LIMIT;
/** Columns of a row's name: enough for an id, which a line breaks at its dashes. */
const NAME_COLUMNS = 90;
/** Columns of a word that no line can break: a longer one would push the figures off the page. */
const WORD_COLUMNS = 24;
const NAMES = 10;
const ITEMS = 10;
const FEW_ITEMS = 3;

/** Not yet escaped. */
export function shortName(name: string): string {
  return fitText(plainText(name).split(" ").map(shortWord).join(" "), NAME_COLUMNS);
}

function shortWord(word: string): string {
  let short = "";
  for (const piece of word.split(/(?<=[-/])(?!\d)/)) {
    const fitted = fitText(piece, WORD_COLUMNS);
    short += fitted;
    // A piece after a cut one would look like part of it.
    if (fitted !== piece) break;
  }
  return short;
}

interface ItemLimits {
  readonly names?: number;
  /** Code points. */
  readonly reason?: number;
}

/** @param lead Markdown, or "" */
export function listItem(lead: string, rows: readonly string[], reason?: string, limits: ItemLimits = {}): string {
  const { names: most = NAMES, reason: reasonLimit = REASON_LIMIT } = limits;
  const names = rows.slice(0, most).map((row) => codeSpan(shortName(row)));
  const more = rows.length > most ? ` and ${rows.length - most} more` : "";
  const why = reason === undefined ? "" : `: ${escapeText(reason, reasonLimit)}`;
  return `- ${[lead, names.join(", ")].filter(Boolean).join(" ")}${more}${why}`;
}

/** One list, the groups one after the other. @param groups of items in Markdown */
export function listSection(groups: readonly (readonly string[])[]): Section {
  const [text, short] = [ITEMS, FEW_ITEMS].map((count) => firstItems(groups, count));
  if (!text) return { text: "" };
  return {
    text,
    shorter: [
      { order: ORDER.shortLists, text: short ?? "", leftOut: "benchmarks and notes of the list" },
      { order: ORDER.lists, text: "", leftOut: "the list of benchmarks and notes" },
    ],
  };
}

function firstItems(groups: readonly (readonly string[])[], count: number): string {
  return groups
    .flatMap((items) => [
      ...items.slice(0, count),
      ...(items.length > count ? [`- and ${items.length - count} more of this kind`] : []),
    ])
    .join("\n");
}
