/**
 * Benchmarks for the notes of a release: the headline with one line for each set, what changed, and everything else folded.
 * They fit a limit by leaving out whole parts, and name them.
 */

import { plural } from "../../messages/sentence.js";
import type { Comparison } from "../../results/comparison.js";
import type { Results } from "../../results/schema.js";
import { resultSections } from "../comment/comment.js";
import type { CommentFacts } from "../comment/facts.js";
import { resultsHeadline } from "../comparison/headline.js";
import { isChange, metricNames, metricTitle, signedPercent } from "../comparison/metric-text.js";
import { capital } from "../html/pair-plot.js";
import { codeSpan, escapeText } from "../text/escape.js";
import { fitSections, type Section } from "../text/fit-to-limit.js";
import { runDate, shortPython } from "../text/format.js";
import { leftOutText } from "../text/left-out.js";
import { commitLink, link } from "../text/link.js";
import { otherMachines } from "../text/machines.js";
import { markdownGrid } from "../text/markdown.js";
import { pageContents } from "../text/page-contents.js";

/** GitHub refuses a release whose body has more characters. Bytes of UTF-8 are never fewer. */
export const RELEASE_BODY_LIMIT = 125_000;

export interface Release {
  readonly tag: string;
  /** Undefined for a first release. */
  readonly previous: string | undefined;
}

export interface NotesFacts extends CommentFacts {
  readonly release: Release;
  /** Where the page of this release is published. */
  readonly pageUrl?: string;
  /** Names of the files with the page and the figures that the release has, the page first. */
  readonly attached?: readonly string[];
}

/** Of sections that other texts leave out later. */
const SETS_ORDER = 20;
/** Code points of the headline and of a tag: git allows 255 bytes. */
const HEADLINE_LIMIT = 400;

/** @param limit bytes of UTF-8; where it is too small for the headline alone, the text is longer */
export function renderNotes(facts: NotesFacts, limit = RELEASE_BODY_LIMIT): string {
  const { results } = facts;
  const { verdict, rest } = resultsHeadline(results);
  const sections = [
    title(facts),
    bold(verdict),
    escapeText(rest, HEADLINE_LIMIT),
    aboutLine(facts),
    pageLine(facts),
    setsTable(results),
  ].map(asSection);
  const changed = results.comparison?.rows.some((row) => isChange(row.verdict)) === true;
  const heading = asSection(changed ? "### What changed" : "");
  const whole = [...sections, heading, ...resultSections({ ...facts, withoutFiles: true }).map(asSection)];
  const text = fitSections(whole, limit - 1, (leftOut) => closingLine(leftOut, facts));
  return `${Buffer.byteLength(text) < limit ? text : shortest(facts)}\n`;
}

/** The headline and where the rest is. */
function shortest(facts: NotesFacts): string {
  return [title(facts), bold(resultsHeadline(facts.results).verdict), pageLine(facts)].filter(Boolean).join("\n\n");
}

function asSection(section: Section | string): Section {
  return typeof section === "string" ? { text: section } : section;
}

function title({ release: { tag, previous } }: NotesFacts): string {
  const compared = previous === undefined ? "" : ` compared with ${escapeText(previous)}`;
  return `## Benchmarks of ${escapeText(tag)}${compared}`;
}

function bold(verdict: string): string {
  return `**${escapeText(verdict, HEADLINE_LIMIT)}**`;
}

/** Which commits were measured, where and when. */
function aboutLine(facts: NotesFacts): string {
  const { run, environment } = facts.results;
  const { tag, previous } = facts.release;
  const { cpuModel, cpus, os, python } = environment;
  const machine = `${cpuModel}, ${plural(cpus, "CPU")}, ${os}, Python ${shortPython(python)}${otherMachines(run)}`;
  const sides = isCompared(facts) ? ` Head is ${codeSpan(tag)}, base is ${codeSpan(previous ?? "")}.` : "";
  return `${whatWasMeasured(facts)}, on ${runDate(run.startedAt)} UTC: ${escapeText(machine)}.${sides}`;
}

function isCompared({ results, release }: NotesFacts): boolean {
  return results.comparison !== undefined && release.previous !== undefined;
}

function whatWasMeasured(facts: NotesFacts): string {
  const { results, where, release } = facts;
  const { run, comparison } = results;
  const head = `${codeSpan(release.tag)}${commitOf(where, run.git?.sha)}`;
  if (!isCompared(facts)) return `${head} was measured`;
  const base = `${codeSpan(release.previous ?? "")}${commitOf(where, comparison?.base.sha)}`;
  const { rows = [], controls = [] } = comparison ?? {};
  if (rows.length + controls.length === 0) return `No benchmark was measured in both ${head} and ${base}`;
  // A row's pairs are of one machine; its shards may be of several.
  const machine = (run.parts ?? []).length > 1 ? "the two sides of each benchmark on one machine" : "on one machine";
  return `${head} and ${base} were measured side by side, ${machine}`;
}

function commitOf(where: CommentFacts["where"], sha: string | undefined): string {
  if (sha === undefined) return "";
  return ` (${where.repository === "" ? codeSpan(sha.slice(0, 7)) : commitLink(where, sha)})`;
}

function pageLine(facts: NotesFacts): string {
  return [linkedLine(facts), attachedLine(facts)].filter(Boolean).join(" ");
}

function attachedLine({ attached = [] }: NotesFacts): string {
  const names = attached.map((name) => codeSpan(name)).join(" and ");
  return names === "" ? "" : `The page and all figures are files of this release: ${names}.`;
}

function linkedLine({ pageUrl, where, results }: NotesFacts): string {
  if (pageUrl !== undefined) return `${link("The page", pageUrl)} has ${pageContents(results)}.`;
  // GitHub deletes artifacts after some time: a published page stays.
  const kept = [
    ...(where.pageUrl === undefined ? [] : [link("The page", where.pageUrl)]),
    ...(where.artifactUrl === undefined
      ? []
      : [link(where.pageUrl === undefined ? "All results" : "all results", where.artifactUrl)]),
  ];
  return kept.length === 0 ? "" : `${kept.join(" and ")} are kept with the run.`;
}

const HEADINGS = ["Set", "Benchmarks", "Worse", "Better", "Unchanged", "Inconclusive", "Not compared"];
/** Of these, the first one that changed gets a column, else the first one that a row has. */
const RANGES = ["throughput", "cpuPerRequest", "instructions", "memoryPeak"];

/** One line for each set that was compared. */
function setsTable({ comparison, sets }: Results): Section {
  if (!comparison || comparison.rows.length === 0) return { text: "" };
  const metrics = rangesOf(comparison);
  const lines = sets.flatMap((set) => setLine(set, comparison, metrics));
  const headings = metrics.map((metric) => capital(metricTitle(metric)));
  const text = [
    markdownGrid([...HEADINGS, ...headings], lines, { padded: false }),
    ...(headings.length === 0 ? [] : [`${headings.join(", ")}: the lowest and the highest change of a benchmark.`]),
  ].join("\n\n");
  return { text, shorter: [{ order: SETS_ORDER, text: "", leftOut: "the table of sets" }] };
}

/** Metrics whose changes are shown. Where rows have none of the usual ones: all that they have. */
function rangesOf(comparison: Comparison): readonly string[] {
  const names = metricNames(comparison);
  const changed = (name: string) => comparison.rows.some((row) => isChange(row.metrics[name]?.verdict ?? "unchanged"));
  const usual = RANGES.find(changed) ?? RANGES.find((name) => names.includes(name));
  return usual === undefined ? names : [usual];
}

/** @param ranges metrics whose changes are shown */
function setLine(
  { name, title: setTitle }: Results["sets"][number],
  comparison: Comparison,
  ranges: readonly string[],
): string[][] {
  const ofSet = ({ id }: { readonly id: string }) => id.startsWith(`${name}/`);
  const rows = comparison.rows.filter(ofSet);
  const others = (comparison.notCompared ?? []).filter(ofSet).length;
  if (rows.length + others === 0) return [];
  const count = (...verdicts: readonly string[]) =>
    String(rows.filter(({ verdict: of }) => verdicts.includes(of)).length);
  const counts = [
    count("worse", "suspect-worse"),
    count("better", "suspect-better"),
    count("unchanged"),
    count("inconclusive"),
  ];
  const changes = ranges.map((metric) => rangeText(rows.flatMap(({ metrics }) => metrics[metric]?.change ?? [])));
  return [[setTitle, String(rows.length + others), ...counts, String(others), ...changes]];
}

function rangeText(changes: readonly number[]): string {
  if (changes.length === 0) return "";
  const [low, high] = [signedPercent(Math.min(...changes)), signedPercent(Math.max(...changes))];
  return low === high ? low : `${low} to ${high}`;
}

function closingLine(leftOut: readonly string[], facts: NotesFacts): string {
  return `Left out for GitHub's limit: ${leftOutText(leftOut)}. ${wherePageIs(facts)} has everything.`;
}

function wherePageIs({ pageUrl, attached: [page] = [] }: NotesFacts): string {
  if (pageUrl !== undefined) return link("The page", pageUrl);
  return page === undefined ? "The page `index.html`" : `${codeSpan(page)}, a file of this release,`;
}
