/** Which texts of a foreign results file may be shown: known sentences of ours, and forms that carry no message. */
import { AGAINST_TIME, CLIENT_BOUND, DISTURBED, NO_THROUGHPUT, TOO_FEW_PAIRS } from "../../compare/row-notes.js";
import { EARLIER_ATTEMPT } from "../../merge/earlier-attempt.js";
import { MISSING_REASONS } from "../../merge/missing-shards.js";

/** In the place of a text that is not repeated. */
export const NOT_SHOWN = "not shown";
export const REASON_WITHHELD = "its reason is in the results file";

/** Sentences of server-bench whose only variable parts are numbers. */
const KNOWN: readonly RegExp[] = [
  /^\d{1,15} failed requests in head, none in base$/,
  /^\d{1,3}(?:\.\d{1,10})? % of head's requests failed, \d{1,3}(?:\.\d{1,10})? % of base's$/,
  /^\d{1,4} of \d{1,4} pairs do not count: other load on the machine$/,
  /^the machine was disturbed for \d{1,6} s of \d{1,6} s$/,
  /^The run was interrupted\.$/,
  EARLIER_ATTEMPT,
];
const CONSTANT: ReadonlySet<string> = new Set([
  AGAINST_TIME,
  CLIENT_BOUND,
  DISTURBED,
  NO_THROUGHPUT,
  TOO_FEW_PAIRS,
  ...MISSING_REASONS,
]);

export function knownSentences(texts: readonly string[]): string[] {
  return texts.filter((text) => reasonOf(text) !== undefined);
}

/** The text where it is one of ours. */
export function reasonOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  return CONSTANT.has(text) || KNOWN.some((sentence) => sentence.test(text)) ? text : undefined;
}

/** PEP 440's form, without its free parts. */
const VERSION = /^\d{1,6}(\.\d{1,6}){0,4}(-?(a|b|rc|alpha|beta|dev|post|t)\.?\d{0,6})?(\.(post|dev)\d{1,6})?$/;

export function versionOf(text: string | undefined): string | undefined {
  return text !== undefined && VERSION.test(text) ? text : undefined;
}

export function shaOf(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9a-f]{40}$/.test(text) ? text : undefined;
}

/** Fingerprints and ids of runs: digits, and letters that make no word. */
export function idsOf(text: string | undefined): string | undefined {
  return text !== undefined && /^[0-9a-f]{4,64}$|^\d{8}T\d{6}-[0-9a-f]{1,16}$/.test(text) ? text : undefined;
}

export function dateOf(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{4}-\d\d-\d\dT[\d:.]{5,20}Z$/.test(text) && !Number.isNaN(Date.parse(text))
    ? text
    : undefined;
}

export function numberOf(text: string | undefined): string | undefined {
  return text !== undefined && /^\d{1,6}$/.test(text) ? text : undefined;
}
