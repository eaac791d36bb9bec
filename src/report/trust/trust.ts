/** Who measured the results of a report, and so what the report may repeat of them. */

import { listed, plural } from "../../messages/sentence.js";
import { escapeText } from "../text/escape.js";
import type { KnownNames } from "./names.js";

/** `verified`: GitHub confirms that the commit is there, not that it was measured. `claimed`: only the results name it. */
export type Checked = "verified" | "claimed";

/**
 * `own`: this job or an earlier job of this run measured. `pull-request-run`: another run did, with code of a pull request, and
 * every word and figure of its results may be that code's.
 */
export type Trust =
  | { readonly kind: "own" }
  | {
      readonly kind: "pull-request-run";
      readonly head: Checked;
      readonly base: Checked;
      /** Names that may be shown; default: none. */
      readonly names?: KnownNames;
    };

const BANNER = "Measured by the pull request's own run: its figures are claims of that run's code.";

/** Noun -> how many of them are not repeated. */
export type Withheld = Readonly<Record<string, number>>;

/** Stands before the verdict; "" for own results. */
export function trustBanner(trust: Trust): string {
  const sentence = trustSentence(trust);
  return sentence === "" ? "" : `> **${sentence}**`;
}

/** The same as plain text. */
export function trustSentence({ kind }: Trust): string {
  return kind === "own" ? "" : BANNER;
}

/** What is not repeated, and where it is; "" where nothing was withheld. @param all Markdown: a link to the artifact */
export function withheldSentence(withheld: Withheld, all: string): string {
  const counts = Object.entries(withheld).filter(([, count]) => count > 0);
  if (counts.length === 0) return "";
  const named = counts.map(([noun, count]) => escapeText(plural(count, noun)));
  return `Not repeated here, because that run's code can write anything there: ${listed(named)}. They are in ${all}.`;
}
