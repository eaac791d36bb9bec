/**
 * The pull request's comment: the verdict in one line, what changed, what failed or is missing, and everything else folded.
 * Without its hidden first line, which is github/'s. It fits GitHub's limit by leaving out whole parts, and names them.
 */

import { plural } from "../../messages/sentence.js";
import type { Comparison, UncomparedRow } from "../../results/comparison.js";
import type { Results } from "../../results/schema.js";
import { resultsHeadline } from "../comparison/headline.js";
import { isChange } from "../comparison/metric-text.js";
import { openReasons } from "../comparison/open-reasons.js";
import { uncomparedLines } from "../comparison/uncompared-lines.js";
import { reportWarnings } from "../markdown/report.js";
import { profilesMarkdown } from "../profile/markdown.js";
import { baseLogs } from "../tables/base-logs.js";
import { codeSpan, escapeLine, escapeText } from "../text/escape.js";
import { fitSections, type Section } from "../text/fit-to-limit.js";
import { runDate } from "../text/format.js";
import { leftOutText } from "../text/left-out.js";
import { link } from "../text/link.js";
import { folded } from "../text/markdown.js";
import { claimsOf } from "../trust/claims.js";
import { type Trust, trustBanner, withheldSentence } from "../trust/trust.js";
import { changedSection, noteItems, otherSections } from "./changes.js";
import type { CommentFacts } from "./facts.js";
import { BASE_REASON_LIMIT, listItem, listSection, ORDER, REASON_LIMIT } from "./lists.js";
import { howMeasured, refsLine } from "./provenance.js";
import { recentSection } from "./recent.js";
import { furtherSections, setSections } from "./sets.js";

/**
 * GitHub's own message says 65,536 characters; it has been seen to store 262,144 bytes. Bytes of UTF-8 are never fewer
 * than code points or UTF-16 units, so this holds for every way to count, with room for the hidden line.
 */
export const COMMENT_BYTES = 65_000;
const HEADING = "### Server benchmarks";

/** @param limit bytes of UTF-8 */
export function renderComment(facts: CommentFacts, limit = COMMENT_BYTES): string {
  const { run } = facts.results;
  return render(facts, run.finishedAt === null ? ["**The run did not finish.** What it measured:"] : [], limit);
}

export interface StoppedFacts {
  readonly reason: string;
  readonly runUrl: string;
  /** Cases that have results. */
  readonly done?: number;
  /** Shown below, as they are. */
  readonly facts?: CommentFacts;
}

export interface RefusedFacts {
  readonly reason: string;
  /** Of the job that refused them: its log says more. */
  readonly runUrl: string;
  readonly trust: Trust;
}

const REFUSED = "**The results were refused, because**";
const STOPPED = "**Stopped before the end:**";
const UNTIL_THEN = "What was measured until then:";

/** Whether a finished comment shows figures, and not only why there are none. @param body as GitHub gives it back */
export function hasFigures(body: string): boolean {
  const [, lead] = body.replaceAll("\r\n", "\n").split(`${HEADING}\n\n`);
  if (lead === undefined || lead.startsWith(REFUSED)) return false;
  const [line = ""] = lead.split("\n", 1);
  return !line.startsWith(STOPPED) || line.endsWith(UNTIL_THEN);
}

/** For results that could not be read, merged or drawn. The reason may quote the file, so a pull request's is not shown. */
export function renderRefused({ reason, runUrl, trust }: RefusedFacts): string {
  const said = trust.kind === "own" ? sentence(reason) : "they could not be read, merged or shown.";
  return [HEADING, `${REFUSED} ${said}`, `The log of ${link("the run", runUrl)} says more.`].join("\n\n");
}

/** For a run that was cancelled or could not continue. */
export function renderStopped({ reason, runUrl, done, facts }: StoppedFacts, limit = COMMENT_BYTES): string {
  const lead = `${STOPPED} ${sentence(reason)}`;
  if (facts) return render(facts, [`${lead} ${UNTIL_THEN}`], limit);
  const run = link("the run", runUrl);
  if (done === undefined || done === 0) return [HEADING, lead, `See ${run} for its log.`].join("\n\n");
  const kept = `${lead} ${plural(done, "result")} had been measured.`;
  return [HEADING, kept, `See ${run} for its log and its results.`].join("\n\n");
}

export interface MeasuringFacts {
  readonly rows: number;
  readonly done: number;
  /** ISO 8601 */
  readonly startedAt: string;
  readonly runUrl: string;
  readonly minutesLeft?: number;
  /** Set while another run measures on this machine. `until`: its expected end, ISO 8601; null: unknown. */
  readonly wait?: { readonly until: string | null; readonly minutesAtMost: number };
}

/** Until there are results. */
export function renderMeasuring({ rows, done, startedAt, runUrl, minutesLeft, wait }: MeasuringFacts): string {
  const left = minutesLeft === undefined ? "" : `, about ${Math.max(1, Math.round(minutesLeft))} min left`;
  return [
    HEADING,
    wait ? waitingText(wait, rows) : `**Measuring:** ${done} of ${plural(rows, "benchmark")} done${left}.`,
    `Started ${runDate(startedAt)} UTC. The results will replace this comment; ${link("the run", runUrl)} shows the progress.`,
  ].join("\n\n");
}

function waitingText({ until, minutesAtMost }: NonNullable<MeasuringFacts["wait"]>, rows: number): string {
  const end = until === null ? "" : `, until about ${until.slice(11, 16)} UTC`;
  return `**Waiting:** another run measures on this machine${end}. This run waits at most ${minutesAtMost} min, then measures ${plural(rows, "benchmark")}.`;
}

function render(given: CommentFacts, lead: readonly string[], limit: number): string {
  const { facts, withheld } = shownFacts(given);
  const sections = [
    HEADING,
    trustBanner(facts.trust),
    facts.lead === undefined ? "" : `> **${escapeText(facts.lead)}**`,
    ...lead,
    verdictLines(facts),
    refsLine(facts),
    withheld,
    ...resultSections(facts),
  ].map((section): Section => (typeof section === "string" ? { text: section } : section));
  return fitSections(sections, limit, (leftOut) => closingLine(leftOut, facts));
}

/** Everything below the verdict; release notes have it too. */
export function resultSections(facts: CommentFacts): (Section | string)[] {
  const { comparison } = facts.results;
  const compared = comparison !== undefined && !(comparison.notComparable && comparison.rows.length === 0);
  return compared ? comparedSections(facts) : uncomparedSections(facts);
}

/** The facts to show: without free text where a pull request's run made the results. */
function shownFacts(facts: CommentFacts): { readonly facts: CommentFacts; readonly withheld: string } {
  if (facts.trust.kind === "own") return { facts, withheld: "" };
  const { results, withheld } = claimsOf(facts.results, facts.trust);
  return { facts: { ...facts, results }, withheld: withheldSentence(withheld, everythingLink(facts)) };
}

function everythingLink({ where }: CommentFacts): string {
  return where.artifactUrl ? link("all results", where.artifactUrl) : link("the run", where.runUrl);
}

/** Missing shards have items of their own, and what leads the comment is not repeated. */
function warningsOf({ results, lead, notes = [] }: CommentFacts): readonly string[] {
  const { missing: _, ...run } = results.run;
  const shown = [lead, ...notes];
  return reportWarnings({ ...results, run }).filter((warning) => !shown.includes(warning));
}

/** The verdict, then what else holds for all benchmarks. */
function verdictLines({ results }: CommentFacts): string {
  const { missing = [] } = results.run;
  const { verdict, rest } = resultsHeadline(results);
  const count = missing.reduce((sum, shard) => sum + shard.rows.length, 0);
  const of = count > 0 ? `${plural(count, "benchmark")} of ` : "";
  const lost = missing.length > 0 ? [`Not measured: ${of}${plural(missing.length, "shard")}.`] : [];
  const below = [...lost, ...(rest === "" ? [] : [escapeText(rest, BASE_REASON_LIMIT)])];
  return [`**${escapeText(verdict, REASON_LIMIT)}**`, below.join(" ")].filter(Boolean).join("\n\n");
}

function comparedSections(facts: CommentFacts): Section[] {
  const { comparison, run } = facts.results;
  if (!comparison) return [];
  const changed = comparison.rows.some((row) => isChange(row.verdict));
  // What stored files cannot say matters to who doubts a finding.
  const doubts = changed || comparison.mode !== "artifact" ? (comparison.notes ?? []) : [];
  return [
    changedSection(comparison),
    listSection([
      uncomparedItems(comparison, (kind) => kind === "failed-in-head"),
      missingItems(run),
      uncomparedItems(comparison, (kind) => kind !== "failed-in-head" && kind !== "cannot-have-changed"),
      noteItems(comparison, (row) => isChange(row.verdict)),
      plainItems([...openReasons(comparison), ...doubts, ...(facts.notes ?? [])]),
      run.finishedAt === null ? plainItems(warningsOf(facts)) : [],
    ]),
    baseLogSection(facts.results),
    profileSection(facts),
    recentSection(facts.results, facts.recent ?? []),
    ...otherSections(comparison),
    identicalSection(comparison),
    ...furtherSections(facts.results, { open: false }),
    ...setSections(facts.results, { open: false }),
    howSection(facts),
  ];
}

/** There is no verdict: the figures come first. */
function uncomparedSections(facts: CommentFacts): (Section | string)[] {
  const { results, notes = [] } = facts;
  const compared = results.comparison?.notes ?? [];
  return [
    // Nobody would find it below the tables.
    listSection([nothingItem(results.run), plainItems(notes)]),
    ...furtherSections(results, { open: true }),
    ...setSections(results, { open: true }),
    listSection([missingItems(results.run), plainItems([...compared, ...warningsOf(facts)])]),
    howSection(facts),
  ];
}

function baseLogSection({ cases }: Results): Section {
  return wholeOrNothing(baseLogs(cases), ORDER.logs, "logs of failed benchmarks");
}

function profileSection({ results, withoutFiles }: CommentFacts): Section {
  const text = profilesMarkdown(results.profiles ?? [], { reasonLimit: REASON_LIMIT, files: !withoutFiles });
  return wholeOrNothing(text, ORDER.profiles, "where the time went");
}

/** An empty text is not named among what is left out. */
function wholeOrNothing(text: string, order: number, leftOut: string): Section {
  return text === "" ? { text } : { text, shorter: [{ order, text: "", leftOut }] };
}

function uncomparedItems(comparison: Comparison, which: (kind: UncomparedRow["kind"]) => boolean): string[] {
  return uncomparedLines(comparison)
    .filter(({ kind }) => which(kind))
    .map(({ kind, heading, rows, reason }) => {
      const limits = kind === "not-comparable" ? { reason: BASE_REASON_LIMIT } : {};
      return listItem(`**${heading}:**`, rows, reason, limits);
    });
}

function missingItems({ missing = [] }: Results["run"]): string[] {
  return missing.map(({ shard, reason, rows }) => {
    const why = escapeText(trimStop(reason), REASON_LIMIT);
    return listItem(`**Not measured:** shard ${codeSpan(shard)}: ${why}${rows.length > 0 ? ":" : ""}`, rows);
  });
}

function nothingItem({ nothingToCompare }: Results["run"]): string[] {
  return nothingToCompare
    ? [`- **Nothing to compare with:** ${escapeLine(nothingToCompare.reason, BASE_REASON_LIMIT)}`]
    : [];
}

function plainItems(notes: readonly string[]): string[] {
  return [...new Set(notes)].map((note) => `- ${escapeLine(note, REASON_LIMIT)}`);
}

function identicalSection(comparison: Comparison): Section {
  const lines = uncomparedLines(comparison).filter(({ kind }) => kind === "cannot-have-changed");
  if (lines.length === 0) return { text: "" };
  const count = lines.reduce((sum, { rows }) => sum + rows.length, 0);
  const items = lines.map(({ rows, reason }) => listItem("", rows, reason, { names: rows.length }));
  const text = folded(`${plural(count, "benchmark")} identical on both sides, not measured`, items.join("\n"));
  return {
    text,
    shorter: [{ order: ORDER.cannot, text: "", leftOut: "the benchmarks that are identical on both sides" }],
  };
}

function howSection(facts: CommentFacts): Section {
  const warnings = facts.results.run.warnings.length;
  const counted = warnings > 0 ? ` (${plural(warnings, "warning")})` : "";
  return {
    text: folded(`How this was measured${counted}`, howMeasured(facts)),
    shorter: [{ order: ORDER.how, text: "", leftOut: "how this was measured" }],
  };
}

function closingLine(leftOut: readonly string[], { where }: CommentFacts): string {
  const all = where.artifactUrl ? link("the whole report", where.artifactUrl) : link("the run", where.runUrl);
  return `Left out for GitHub's limit: ${leftOutText(leftOut)}. See ${all}.`;
}

/** Foreign words with one full stop. */
function sentence(text: string): string {
  return `${escapeText(trimStop(text), REASON_LIMIT)}.`;
}

function trimStop(text: string): string {
  return text.trimEnd().replace(/\.+$/, "");
}
