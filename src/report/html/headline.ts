/** The verdict and its size in one sentence: "2 of 18 rows are slower, by 3.1 % and 7.0 %; 16 are unchanged within 3 %." */

import { detectPercent, precisionFor } from "../../compare/precision.js";
import { isSuspect } from "../../compare/verdict.js";
import { listed, plural } from "../../messages/sentence.js";
import type { ComparedRow, Comparison } from "../../results/comparison.js";
import type { Results } from "../../results/schema.js";
import { failingParts, headline as plainHeadline, withoutChange } from "../comparison/headline.js";
import { countRows } from "../tables/rows.js";
import { isUntimed } from "../tables/witness-table.js";
import { type Deciding, decidingMetric } from "./deciding.js";
import { percentOf } from "./shares.js";

/** The first line of the page. */
export function pageHeadline(results: Results): string {
  return results.comparison ? comparedHeadline(results.comparison) : measuredHeadline(results);
}

function measuredHeadline(results: Results): string {
  if (isUntimed(results)) return `${plural(results.witnesses?.length ?? 0, "row")} counted without timing.`;
  const { completed, failed, skipped } = countRows(results);
  const parts = [
    `${plural(completed, "row")} of ${plural(results.sets.length, "set")} measured`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return `${parts.join("; ")}.`;
}

export function comparedHeadline(comparison: Comparison): string {
  const { rows } = comparison;
  if (rows.length === 0) return plainHeadline(comparison);
  const changed = groupsOf(rows).map((group, i) => phrase(group, i === 0 ? rows.length : undefined));
  const parts = [
    ...(changed.length > 0 ? changed : [withoutChange(rows)]),
    ...restPhrases(comparison),
    ...uncomparedPhrase(comparison),
    ...failingParts(comparison),
  ];
  return `${parts.join("; ")}.`;
}

/** Rows that changed in the same way. */
interface Group {
  readonly words: Words;
  readonly sizes: number[];
}

interface Words {
  /** Two of them, for one row and for several. */
  readonly verb: readonly [string, string];
  readonly what: string;
}

/** Worse before better, proven before suspected. */
const ORDER = ["worse", "suspect-worse", "better", "suspect-better"] as const;

function groupsOf(rows: readonly ComparedRow[]): Group[] {
  const groups = new Map<string, Group>();
  for (const verdict of ORDER) {
    for (const row of rows.filter((one) => one.verdict === verdict)) {
      const deciding = decidingMetric(row);
      const words = wordsOf(verdict, deciding);
      const key = `${words.verb[0]} ${words.what}`;
      const group = groups.get(key) ?? { words, sizes: [] };
      if (deciding.kind === "metric") group.sizes.push(Math.abs(deciding.metric.change));
      groups.set(key, { words, sizes: group.sizes });
      if (deciding.kind !== "metric") group.sizes.push(Number.NaN);
    }
  }
  return [...groups.values()];
}

function wordsOf(verdict: (typeof ORDER)[number], deciding: Deciding): Words {
  const worse = verdict.endsWith("worse");
  const suspected = isSuspect(verdict);
  const { be, need, have } = suspected
    ? ({ be: ["may be", "may be"], need: ["may need", "may need"], have: ["may have", "may have"] } as const)
    : ({ be: ["is", "are"], need: ["needs", "need"], have: ["has", "have"] } as const);
  if (deciding.kind === "idle") return { verb: need, what: "more CPU while idle" };
  if (deciding.kind === "none") return { verb: be, what: worse ? "worse" : "better" };
  switch (deciding.name) {
    case "throughput":
      return { verb: be, what: worse ? "slower" : "faster" };
    case "cpuPerRequest":
      return { verb: need, what: `${worse ? "more" : "less"} CPU per request` };
    case "latencyP50":
    case "latencyP99":
      return { verb: have, what: `a ${worse ? "higher" : "lower"} ${deciding.title}` };
    case "startupTime":
      return { verb: be, what: `${worse ? "slower" : "faster"} to start` };
    case "startupMemory":
      return { verb: need, what: `${worse ? "more" : "less"} memory after the start` };
    case "instructions":
      return {
        verb: suspected ? ["may do", "may do"] : ["does", "do"],
        what: `${worse ? "more" : "less"} work per request`,
      };
    case "memoryPeak":
      return { verb: need, what: `${worse ? "more" : "less"} memory` };
    case "memoryGrowth":
      return { verb: have, what: `memory that grows ${worse ? "more" : "less"} with the requests` };
    default:
      return { verb: be, what: worse ? "worse" : "better" };
  }
}

/** More sizes than this are given as a range. */
const SIZES_LISTED = 4;

function phrase({ words, sizes }: Group, of: number | undefined): string {
  const count = sizes.length;
  const counted = of === undefined ? `${count}` : `${count} of ${plural(of, "row")}`;
  const known = sizes.filter(Number.isFinite).sort((a, b) => a - b);
  const by = known.length === 0 ? "" : `, ${sizeText(known.map(percentOf))}`;
  return `${counted} ${words.verb[count === 1 ? 0 : 1]} ${words.what}${by}`;
}

/** `by 3.1 % and 7.0 %`; the ends of a longer list. @param sizes smallest first */
function sizeText(sizes: readonly string[]): string {
  const [first = "", last = ""] = [sizes[0], sizes.at(-1)];
  if (sizes.length === 1) return `by ${first}`;
  if (first === last) return `each by ${first}`;
  if (sizes.length > SIZES_LISTED) return `by ${first} to ${last}`;
  return `by ${listed(sizes)}`;
}

function restPhrases({ rows, detect }: Comparison): string[] {
  const unchanged = rows.filter(({ verdict }) => verdict === "unchanged");
  const inconclusive = rows.filter(({ verdict }) => verdict === "inconclusive").length;
  // Other metrics have other margins.
  const usual = unchanged.every(({ metrics }) => Object.keys(metrics).every((name) => USUAL.includes(name)));
  const within = usual ? ` within ${detectPercent(precisionFor(detect))} %` : "";
  return [
    ...(unchanged.length > 0 ? [`${unchanged.length} ${be(unchanged.length)} unchanged${within}`] : []),
    ...(inconclusive > 0 ? [`${inconclusive} ${be(inconclusive)} inconclusive`] : []),
  ];
}

/** Rows with a phrase of their own, and those that need no comparison. */
const NOT_COUNTED = ["failed-in-head", "voided", "cannot-have-changed"];

function uncomparedPhrase({ rows, apart = [] }: Comparison): string[] {
  const keyOf = ({ id, connections }: { readonly id: string; readonly connections?: number | undefined }) =>
    JSON.stringify([id, connections]);
  const others = new Set(apart.filter(({ kind }) => !NOT_COUNTED.includes(kind)).map(keyOf));
  for (const row of rows) others.delete(keyOf(row));
  const count = others.size;
  return count === 0 ? [] : [`${count} ${be(count)} not compared`];
}

const USUAL = ["throughput", "cpuPerRequest"];

function be(count: number): string {
  return count === 1 ? "is" : "are";
}
