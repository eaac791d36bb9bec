/** Which commits a comment is about, and how its figures were measured: enough to check and repeat them. */

import { duration } from "../../messages/duration.js";
import { plural } from "../../messages/sentence.js";
import type { Comparison } from "../../results/comparison.js";
import type { Results } from "../../results/schema.js";
import { baseLine } from "../comparison/base-line.js";
import { controlLines } from "../comparison/changed-rows.js";
import { methodItems } from "../comparison/section.js";
import { commitOf } from "../markdown/evidence.js";
import { repeatChanged, repeatMarkdown } from "../repeat/repeat.js";
import { codeSpan, escapeLine, escapeText } from "../text/escape.js";
import { decimals, runDate } from "../text/format.js";
import { commitLink, isRunOf, link } from "../text/link.js";
import { otherMachines } from "../text/machines.js";
import type { Checked } from "../trust/trust.js";
import type { CommentFacts } from "./facts.js";
import { REASON_LIMIT } from "./lists.js";

/** `Head 1111111 against base 0f3c2a9 on main, measured side by side. See the page, the run, all results.` */
export function refsLine(facts: CommentFacts): string {
  const { where, results } = facts;
  const sha = where.headSha ?? results.run.git?.sha;
  const head = sha === undefined ? "Head" : `Head ${headRef(facts, sha)}`;
  const base = baseRef(facts);
  const links = [
    ...(where.pageUrl === undefined ? [] : [link("the page", where.pageUrl)]),
    link("the run", where.runUrl),
    ...(where.artifactUrl === undefined ? [] : [link("all results", where.artifactUrl)]),
  ];
  return `${[head, ...(base === "" ? [] : [`against base ${base}`])].join(" ")}. See ${links.join(", ")}.`;
}

/** The event names head's commit. Only the results say which commit a pull request's run measured. */
function headRef({ where, trust, results }: CommentFacts, sha: string): string {
  if (trust.kind === "own") return commitLink(where, sha);
  const measured = results.run.git?.sha;
  if (trust.head === "verified" || measured === undefined)
    return `${commitLink(where, sha)}${checked(trust.head, "the pull request has this commit")}`;
  return measured === sha
    ? `${codeSpan(sha)}${CLAIMED}`
    : `${commitLink(where, sha)} (the run claims that it measured ${codeSpan(measured)})`;
}

const CLAIMED = " (claimed, not verified)";

/** GitHub confirms no more than that: which commit was measured is always a claim. */
function checked(state: Checked, confirmed: string): string {
  return state === "verified" ? ` (verified only that ${confirmed})` : CLAIMED;
}

/** A claimed commit is not linked: GitHub shows those of any fork under the name of the repository. */
function baseCommit({ where, trust }: CommentFacts, sha: string): string {
  if (trust.kind === "own") return commitLink(where, sha);
  return (
    (trust.base === "verified" ? commitLink(where, sha) : codeSpan(sha)) + checked(trust.base, "the base branch has it")
  );
}

function baseRef(facts: CommentFacts): string {
  const { comparison } = facts.results;
  if (!comparison) return "";
  if (comparison.mode === "artifact") return storedRef(facts, comparison.base);
  const paired = `${pairedRef(facts)}, measured side by side`;
  if (comparison.mode === "paired") return paired;
  const stored = comparison.rows.filter((row) => row.mode === "artifact").length;
  return `${paired}; ${plural(stored, "benchmark")} against stored results ${storedRef(facts, comparison.storedBase ?? {})}`;
}

function storedRef(facts: CommentFacts, base: Comparison["base"]): string {
  const { sha, date, runUrl, behind } = storedBase(facts, base);
  const from = [
    ...(runUrl === undefined ? [] : [link("stored run", runUrl)]),
    ...(behind === undefined ? [] : [`${plural(behind, "commit")} behind the base branch`]),
  ];
  return [
    sha === undefined ? "of unknown commit" : baseCommit(facts, sha),
    ...(date === undefined ? [] : [`of ${dated(date)}`]),
    ...(from.length === 0 ? [] : [`(${from.join(", ")})`]),
  ].join(" ");
}

function pairedRef(facts: CommentFacts): string {
  const { sha, ref, folder } = facts.results.comparison?.base ?? {};
  if (sha === undefined) return codeSpan(ref ?? folder ?? "unknown");
  return `${baseCommit(facts, sha)}${ref === undefined ? "" : ` on ${codeSpan(ref)}`}`;
}

interface StoredBase {
  readonly sha?: string | undefined;
  readonly date?: string | undefined;
  readonly runUrl?: string | undefined;
  readonly behind?: number | undefined;
}

/** What the results say of it is anyone's: only an address of this repository's runs is linked. */
function storedBase({ where }: CommentFacts, { sha, newest, runUrl, behind }: Comparison["base"]): StoredBase {
  return {
    sha,
    date: newest,
    runUrl: runUrl !== undefined && isRunOf(where, runUrl) ? runUrl : undefined,
    behind: behind !== undefined && /^\d{1,6}$/.test(behind) ? Number(behind) : undefined,
  };
}

function dated(iso: string): string {
  return Number.isNaN(Date.parse(iso)) ? escapeText(iso, REASON_LIMIT) : `${runDate(iso)} UTC`;
}

/** Markdown for a fold. */
export function howMeasured(facts: CommentFacts): string {
  const { results } = facts;
  const { comparison } = results;
  const lines = [
    ...(comparison ? [`Base: ${baseLine(comparison)}.`] : []),
    ...headLine(results),
    runnerLine(results),
    ...versionsLine(results),
    toolsLine(results),
    ...pairsLine(results),
    ...results.run.warnings.map((warning) => `Warning: ${warning}`),
    ...(comparison ? controlLines(comparison) : []),
    ...(comparison?.mode === "artifact" ? (comparison.notes ?? []) : []),
  ].map((line) => `- ${escapeLine(line)}`);
  const items = [...lines, ...(comparison ? methodItems(comparison) : [])];
  return [items.join("\n"), commands(facts)].filter(Boolean).join("\n\n");
}

function headLine({ run }: Results): string[] {
  return run.git ? [`Head was checked out as ${commitOf(run.git)}.`] : [];
}

function runnerLine({ environment, run }: Results): string {
  const { cpuModel, cpus, os, kernel, fingerprint } = environment;
  return `Runner: ${cpuModel}, ${plural(cpus, "CPU")}, ${os}, kernel ${kernel}, fingerprint ${fingerprint}${otherMachines(run)}.`;
}

/** `Granian 2.8.0 (base 2.7.0), Uvicorn 0.54.0` */
function versionsLine({ cases }: Results): string[] {
  const byTitle = new Map<string, Record<"base" | "head", Set<string>>>();
  for (const { server, side } of cases) {
    const versions = byTitle.get(server.title) ?? { base: new Set(), head: new Set() };
    if (server.version !== undefined) versions[side].add(server.version);
    byTitle.set(server.title, versions);
  }
  const servers = [...byTitle].map(([title, versions]) => {
    const [base, head] = [[...versions.base].join(" and "), [...versions.head].join(" and ")];
    return [title, head, base === "" || base === head ? "" : `(base ${base})`].filter(Boolean).join(" ");
  });
  // A run that measured no time has no cases, which would name them.
  return servers.length === 0 ? [] : [`Servers: ${servers.join(", ")}.`];
}

function toolsLine({ environment, run }: Results): string {
  const generators = Object.entries(environment.loadGenerators).map(([name, version]) => `${name} ${version}`);
  const tools = [
    `Python ${environment.python}`,
    ...generators,
    `server-bench ${run.tool.version}, profile ${run.profile}`,
  ];
  const took =
    run.finishedAt === null ? "" : `, ${duration(run.measuredSec)} (${decimals(run.loadShare * 100, 0)} % under load)`;
  return `${tools.join(", ")}; ${runDate(run.startedAt)} UTC${took}.`;
}

function pairsLine({ comparison }: Results): string[] {
  const counts = (comparison?.rows ?? []).flatMap(({ recorded = [] }) =>
    recorded.length > 0 ? [recorded.length] : [],
  );
  if (counts.length === 0) return [];
  const [low, high] = counts.reduce(([low, high], count) => [Math.min(low, count), Math.max(high, count)], [
    Number.POSITIVE_INFINITY,
    0,
  ] as [number, number]);
  const total = counts.reduce((sum, count) => sum + count, 0);
  const each = low === high ? plural(low, "pair") : `${low} to ${high} pairs`;
  return [`${each} a benchmark, ${total} in total.`];
}

/** Nobody reads longer ones, and a command that is cut does not work. */
const COMMANDS_BYTES = 4000;

/** None for results of a pull request's run: readers paste the commands that we print. */
function commands({ results, origin, trust }: CommentFacts): string {
  if (trust.kind !== "own") return "";
  const text = repeatMarkdown(repeatChanged(results, origin));
  return Buffer.byteLength(text) <= COMMANDS_BYTES ? text : "The commands to repeat the run are long: see the report.";
}
