/** What was measured, where and how: facts for the head of the page, and the environment and the method at its end. */
import { LEVEL } from "../../compare/verdict.js";
import { duration } from "../../messages/duration.js";
import type { Results } from "../../results/schema.js";
import { baseLine, confirmedLine } from "../comparison/base-line.js";
import { methodSentences } from "../comparison/method.js";
import { commandLines, commitOf, machineFacts } from "../markdown/evidence.js";
import { packageLists } from "../markdown/packages.js";
import { serverVersions } from "../markdown/report.js";
import type { Origin } from "../repeat/origin.js";
import { repeatRun } from "../repeat/repeat.js";
import { failedLogs } from "../tables/base-logs.js";
import { logLines } from "../text/escape.js";
import { runDate } from "../text/format.js";
import type { Trust } from "../trust/trust.js";
import { fold, html, inline, type Markup, NOTHING, preformatted } from "./markup.js";

export interface AboutOptions {
  readonly trust: Trust;
  readonly origin?: Origin;
}

/** The line below the verdict. */
export function factsLine(results: Results, { origin }: AboutOptions): Markup {
  const { run, environment, comparison } = results;
  const facts: (Markup | string | undefined)[] = [
    run.git && html`Head: ${commitLink(run.git, origin)}`,
    comparison && `Base: ${baseLine(comparison)}`,
    `${environment.cpuModel}, ${environment.cpus} CPUs, ${environment.os}`,
    runDate(run.startedAt),
    run.finishedAt === null
      ? undefined
      : `${duration(run.measuredSec)}, ${(run.loadShare * 100).toFixed(0)} % of it under load`,
    comparison && comparison.rows.length > 0 ? ERRORS : undefined,
  ];
  const shown = facts.filter((fact) => fact !== undefined && fact !== "");
  return html`<ul class="facts">${shown.map((fact) => html`<li>${fact}</li>`)}</ul>`;
}

/** What the false discovery rate promises. */
const ERRORS = `Of the benchmarks called changed, at most ${Math.round(LEVEL * 100)} in 100 are expected to be chance`;

/** To the commit in the repository that the job knows; a results file cannot choose the address. */
function commitLink(git: NonNullable<Results["run"]["git"]>, origin: Origin | undefined): Markup {
  const text = commitOf({ ...git, sha: git.sha.slice(0, SHA_DIGITS) });
  const known =
    origin !== undefined && /^[0-9a-f]{40}$/.test(git.sha) && /^https:\/\/[\w.-]+(:\d+)?$/.test(origin.serverUrl);
  if (!known || !/^[\w.-]+\/[\w.-]+$/.test(origin.repository)) return html`${text}`;
  return html`<a href="${origin.serverUrl}/${origin.repository}/commit/${git.sha}" rel="noreferrer">${text}</a>`;
}

/** Enough to distinguish commits. */
const SHA_DIGITS = 12;

export function methodView(results: Results, { trust, origin }: AboutOptions): Markup {
  const { comparison } = results;
  const versions = [...serverVersions(results)].flatMap(([title, of]) =>
    of.size > 0 ? [[`${title} version`, [...of].join(", ")] as const] : [],
  );
  const facts = [...machineFacts(results), ...versions];
  return html`<section aria-labelledby="method"><h2 id="method">How it was measured</h2>
${comparison ? method(comparison) : NOTHING}
<h3>Environment</h3>
<dl>${facts.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl>
${failedLogs(results.cases).map(({ reason, log }) => fold(`Log of base: ${reason}`, preformatted(logLines(log))))}
${packagesView(results)}
${linesFold("Commands of servers and load generators", commandLines(results))}
${trust.kind === "own" ? repeatView(results, origin) : NOTHING}
</section>`;
}

function method(comparison: NonNullable<Results["comparison"]>): Markup {
  const runs = (comparison.runs ?? []).map(({ source, startedAt, sha, leftOut }) =>
    [source, runDate(startedAt), sha, leftOut && `left out: ${leftOut}`].filter(Boolean).join(", "),
  );
  const confirmed = confirmedLine(comparison);
  const sentences = methodSentences(comparison).filter((sentence) => sentence !== `${confirmed}.`);
  return html`${confirmed === undefined ? NOTHING : html`<p>${confirmed}.</p>`}${sentences.map((sentence) => html`<p>${inline(sentence)}</p>`)}${
    runs.length === 0
      ? NOTHING
      : html`<p>Files of the comparison:</p><ul class="notes">${runs.map((run) => html`<li>${run}</li>`)}</ul>`
  }`;
}

function packagesView({ cases }: Results): Markup {
  const lists = packageLists(cases.filter(({ side }) => side === "head"));
  if (lists.length === 0) return NOTHING;
  return fold(
    "Packages",
    lists.map(({ name, lines }) => html`<p>${name}</p>${preformatted(lines)}`),
  );
}

function linesFold(title: string, lines: readonly string[]): Markup {
  return lines.length === 0 ? NOTHING : fold(title, preformatted(lines));
}

function repeatView(results: Results, origin: Origin | undefined): Markup {
  const repeats = repeatRun(results, origin).filter(({ lines }) => lines.length > 0);
  return html`${repeats.map(({ heading, lines }) => html`<h3>Repeat it</h3><div class="command" data-copy><p>${heading}</p>${preformatted(lines)}</div>`)}`;
}
