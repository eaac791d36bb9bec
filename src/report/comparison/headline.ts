/** The verdict of a run in one short sentence, and the rest of what holds for all of its benchmarks, in plain text. */

import { failedMeasurements } from "../../compare/further-metrics/problems.js";
import { detectPercent, precisionFor } from "../../compare/precision.js";
import { isSuspect } from "../../compare/verdict.js";
import { plural } from "../../messages/sentence.js";
import type { ComparedRow, Comparison } from "../../results/comparison.js";
import type { Results } from "../../results/schema.js";
import { isUntimed, untimedWords } from "../tables/further-table.js";
import { countRows } from "../tables/rows.js";
import { type Deciding, decidingMetric } from "./deciding.js";
import { percent } from "./metric-text.js";

/** `2 of 9 benchmarks are slower, by up to 3.4 %.` and `7 are unchanged within 3 %.` */
export interface Headline {
  readonly verdict: string;
  /** Below the verdict. "" where there is nothing more to say. */
  readonly rest: string;
}

export function resultsHeadline(results: Results): Headline {
  return results.comparison ? headline(results.comparison) : measuredHeadline(results);
}

/** Both in one text. */
export function headlineText({ verdict, rest }: Headline): string {
  return rest === "" ? verdict : `${verdict} ${rest}`;
}

function measuredHeadline(results: Results): Headline {
  if (isUntimed(results)) return { verdict: `${untimedWords(results)}.`, rest: "" };
  const { completed, failed, skipped } = countRows(results);
  const parts = [
    `${plural(completed, "benchmark")} of ${plural(results.sets.length, "set")} measured`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
  ];
  return { verdict: `${parts.join("; ")}.`, rest: "" };
}

export function headline(comparison: Comparison): Headline {
  const { rows, notComparable } = comparison;
  if (notComparable && rows.length === 0)
    return { verdict: "Not comparable with base.", rest: `Reason: ${notComparable.join(" / ")}.` };
  const failing = failingParts(comparison);
  if (rows.length === 0) return split([noRows(comparison), ...failing], []);
  const groups = groupsOf(rows);
  const worse = groups.filter(({ isWorse }) => isWorse).map(phraseOf(rows.length));
  const better = groups.filter(({ isWorse }) => !isWorse).map(phraseOf(worse.length > 0 ? undefined : rows.length));
  const found = groups.length === 0 ? [withoutChange(rows)] : [];
  return split(
    [...found, ...worse, ...failing, ...better],
    [...restPhrases(comparison), ...uncomparedPhrase(comparison)],
  );
}

/** More words are no headline. */
const WORDS_MAX = 15;

/** @param first what matters most, the most urgent part first */
function split(first: readonly string[], others: readonly string[]): Headline {
  const [lead = "", ...more] = first;
  const kept = [lead];
  while (kept.length <= more.length && wordsOf([...kept, more[kept.length - 1]].join("; ")) <= WORDS_MAX)
    kept.push(more[kept.length - 1] ?? "");
  const below = [...first.slice(kept.length), ...others];
  return { verdict: `${kept.join("; ")}.`, rest: below.length === 0 ? "" : `${below.join("; ")}.` };
}

function wordsOf(text: string): number {
  return text.split(" ").length;
}

function noRows({ notCompared = [], controls = [] }: Comparison): string {
  const same = controls.length > 0 || notCompared.some((row) => row.kind === "cannot-have-changed");
  const others = notCompared.some((row) => row.kind !== "cannot-have-changed" && row.kind !== "removed");
  if (!same || others) return "No benchmark was measured in base and head";
  const changed = controls.some(({ beyondNoise }) => beyondNoise);
  return changed ? "A benchmark changed that is identical on both sides" : "All benchmarks are identical on both sides";
}

/** What can be said where no benchmark changed. */
export function withoutChange(rows: Comparison["rows"]): string {
  const isOpen = rows.every(({ verdict }) => verdict === "inconclusive");
  return isOpen ? "No benchmark could be decided" : `No change found in ${plural(rows.length, "benchmark")}`;
}

/** How many benchmarks are not right in head. */
function failingParts({ rows, notCompared = [] }: Comparison): string[] {
  const failing = notCompared.filter((row) => row.kind === "failed-in-head").length;
  const voided = notCompared.filter((row) => row.kind === "voided").length;
  const untimed = rows.filter((row) => failedMeasurements(row).some(({ side }) => side === "head")).length;
  return [
    ...(failing > 0 ? [`${plural(failing, "benchmark")} failed in head only`] : []),
    ...(untimed > 0
      ? [`${plural(untimed, "benchmark")} failed in head while instructions or memory were measured`]
      : []),
    ...startedPart(rows),
    ...(voided > 0 ? [`${plural(voided, "benchmark")} void, because base's files changed`] : []),
  ];
}

/** A verdict rests on it. */
function startedPart(rows: Comparison["rows"]): string[] {
  const started = rows.flatMap((row) => row.started ?? []);
  if (started.length === 0) return [];
  const [how = "", ...others] = new Set(started);
  const words = others.length > 0 || how === "" ? "" : `: ${how}`;
  return [`${plural(started.length, "benchmark")} started differently${words}`];
}

/** Benchmarks that changed in the same way. */
interface Group {
  readonly isWorse: boolean;
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
      const words = changeWords(verdict, deciding);
      const key = `${words.verb[0]} ${words.what}`;
      const group = groups.get(key) ?? { isWorse: verdict.endsWith("worse"), words, sizes: [] };
      if (deciding.kind === "metric") group.sizes.push(Math.abs(deciding.metric.change));
      groups.set(key, group);
      if (deciding.kind !== "metric") group.sizes.push(Number.NaN);
    }
  }
  return [...groups.values()];
}

function changeWords(verdict: (typeof ORDER)[number], deciding: Deciding): Words {
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
      return { verb: have, what: `${worse ? "more" : "less"} memory growth` };
    default:
      return { verb: be, what: worse ? "worse" : "better" };
  }
}

/** @param of all benchmarks, for the first phrase of a headline */
function phraseOf(of: number | undefined): (group: Group, index: number) => string {
  return ({ words, sizes }, index) => {
    const count = sizes.length;
    const counted = of === undefined || index > 0 ? `${count}` : `${count} of ${plural(of, "benchmark")}`;
    const known = sizes.filter(Number.isFinite);
    const by = known.length === 0 ? "" : `, ${known.length === 1 ? "by" : "up to"} ${percent(Math.max(...known))}`;
    return `${counted} ${words.verb[count === 1 ? 0 : 1]} ${words.what}${by}`;
  };
}

function restPhrases({ rows, detect }: Comparison): string[] {
  const unchanged = rows.filter(({ verdict }) => verdict === "unchanged");
  const open = rows.filter(({ verdict }) => verdict === "inconclusive").length;
  // Where all are, the verdict says so.
  const inconclusive = open === rows.length ? 0 : open;
  // Other metrics have other margins.
  const usual = unchanged.every(({ metrics }) => Object.keys(metrics).every((name) => USUAL.includes(name)));
  const within = usual ? ` within ${detectPercent(precisionFor(detect))} %` : "";
  return [
    ...(unchanged.length > 0 ? [`${unchanged.length} ${be(unchanged.length)} unchanged${within}`] : []),
    ...(inconclusive > 0 ? [`${inconclusive} ${be(inconclusive)} inconclusive`] : []),
  ];
}

/** They have a phrase of their own, or need no comparison. */
const NOT_COUNTED = ["failed-in-head", "voided", "cannot-have-changed"];

function uncomparedPhrase({ rows, notCompared = [] }: Comparison): string[] {
  const keyOf = ({ id, connections }: { readonly id: string; readonly connections?: number | undefined }) =>
    JSON.stringify([id, connections]);
  const others = new Set(notCompared.filter(({ kind }) => !NOT_COUNTED.includes(kind)).map(keyOf));
  for (const row of rows) others.delete(keyOf(row));
  const count = others.size;
  return count === 0 ? [] : [`${count} ${be(count)} not compared`];
}

const USUAL = ["throughput", "cpuPerRequest"];

function be(count: number): string {
  return count === 1 ? "is" : "are";
}
