/** For readers who check a figure or repeat it: the machine, the figures of every case, versions and commands. */

import { duration } from "../../messages/duration.js";
import type { CaseResult, CompletedCase, Results } from "../../results/schema.js";
import type { Origin } from "../repeat/origin.js";
import { repeatMarkdown, repeatRun } from "../repeat/repeat.js";
import { label, rowsOf, type SetInfo } from "../tables/rows.js";
import { codeBlock, escapeLine, escapeText, plainText } from "../text/escape.js";
import { decimals, MISSING, rate } from "../text/format.js";
import { folded, markdownGrid } from "../text/markdown.js";
import { shellLine } from "../text/shell-line.js";
import type { Trust } from "../trust/trust.js";
import { packageLists } from "./packages.js";

export interface EvidenceOptions {
  readonly trust: Trust;
  readonly origin?: Origin;
}

export function evidence(results: Results, { trust, origin }: EvidenceOptions): string {
  const { sets, cases } = results;
  const head = cases.filter((result) => result.side === "head");
  const sections = [
    section("Machine", machine(results)),
    ...sets.map((set) => section(`Cases: ${escapeText(set.title)}`, caseTable(set, cases))),
    section("Packages", packages(head)),
    section("Commands", commands(results)),
    section("Repeat it", trust.kind === "own" ? repeatMarkdown(repeatRun(results, origin)) : ""),
  ];
  return folded("Evidence: machine, figures of every case, versions, commands", sections.filter(Boolean).join("\n\n"));
}

function section(title: string, content: string): string {
  return content === "" ? "" : `#### ${title}\n\n${content}`;
}

function machine(results: Results): string {
  return machineFacts(results)
    .map(([name, value]) => `- ${name}: ${escapeText(value)}`)
    .join("\n");
}

/** Name -> value, of the machine and the run. */
export function machineFacts({ environment, run }: Results): (readonly [string, string])[] {
  const facts: (readonly [string, string | undefined])[] = [
    ["CPU", `${environment.cpuModel}, ${environment.cpus} CPUs`],
    ["Server CPUs", environment.serverCpus],
    ["Load generator CPUs", environment.clientCpus],
    ["Memory", `${environment.memoryMiB} MiB`],
    ["System", `${environment.os}, kernel ${environment.kernel}`],
    ["Governor", environment.governor],
    ["Virtualization", environment.virtualization],
    ["Python", environment.python],
    ["Load generators", versions(environment.loadGenerators)],
    ["Fingerprint", environment.fingerprint],
    ["Commit", run.git && commitOf(run.git)],
    ["server-bench", `${run.tool.version}, profile ${run.profile}`],
    ["Started", `${run.startedAt}, run ${run.id}`],
    // An interrupted run did not count it.
    [
      "Time",
      run.finishedAt === null
        ? undefined
        : `${duration(run.measuredSec)} after set-up, ${decimals(run.loadShare * 100, 0)} % of it under load`,
    ],
  ];
  return facts.flatMap(([name, value]) => (value ? [[name, value] as const] : []));
}

/** `0f3c2a9d5b7e on main, with uncommitted changes` */
export function commitOf({ sha, ref, uncommitted }: NonNullable<Results["run"]["git"]>): string {
  return [[sha, ref].filter(Boolean).join(" on "), ...(uncommitted ? ["with uncommitted changes"] : [])].join(", ");
}

function versions(byName: Readonly<Record<string, string>>): string {
  return Object.entries(byName)
    .map(([name, version]) => `${name} ${version}`)
    .join(", ");
}

const CASE_HEADINGS = [
  "Case",
  "RPS",
  "p50 (ms)",
  "p99 (ms)",
  "CPU per request (µs)",
  "Peak memory (MiB)",
  "Server CPU",
  "Client CPU",
  "Client-bound",
  "Steal (%)",
  "Wall (s)",
];

/** Every concurrency of every row, also those that the tables leave out. */
function caseTable(set: SetInfo, cases: readonly CaseResult[]): string {
  const completed = rowsOf(set, cases)
    .flatMap((row) => row.cases)
    .filter((result) => result.state === "completed");
  if (completed.length === 0) return "";
  const warnings = caseWarnings(completed);
  const grid = markdownGrid(CASE_HEADINGS, completed.map(caseFigures));
  return warnings.length > 0 ? `${grid}\n\n${warnings.join("\n")}` : grid;
}

/** One line for each warning: on a noisy machine most cases share one. */
function caseWarnings(completed: readonly CompletedCase[]): string[] {
  const cases = new Map<string, string[]>();
  for (const result of completed) {
    for (const warning of new Set(result.warnings)) {
      const names = cases.get(warning);
      if (names) names.push(caseName(result));
      else cases.set(warning, [caseName(result)]);
    }
  }
  return [...cases].map(([warning, names]) => `- ${escapeLine(`${names.join(", ")}: ${warning}`)}`);
}

/** `rsgi-bytes (c256)`: slugs are unique within a set, titles are not. */
function caseName({ id, set, connections }: CaseResult): string {
  const title = id.startsWith(`${set}/`) ? id.slice(set.length + 1) : id;
  return label({ title, connections });
}

function caseFigures(result: CompletedCase): string[] {
  const { summary } = result;
  return [
    caseName(result),
    rate(summary.requestsPerSec),
    decimals(summary.latencyMs.p50, 3),
    decimals(summary.latencyMs.p99, 3),
    decimals(summary.cpuPerRequestUs, 2),
    decimals(summary.peakMemoryMiB, 1),
    decimals(summary.serverCpu, 2),
    decimals(summary.clientCpu, 2),
    summary.clientBound ? "yes" : "no",
    steal(result),
    decimals(result.wallSec, 1),
  ];
}

/** Mean over the slices that recorded it, weighted by their length. */
function steal({ slices }: CompletedCase): string {
  let seconds = 0;
  let stolen = 0;
  for (const slice of slices) {
    if (slice.stealShare === undefined) continue;
    seconds += slice.seconds;
    stolen += slice.seconds * slice.stealShare;
  }
  return seconds > 0 ? decimals((stolen / seconds) * 100, 2) : MISSING;
}

/** Each environment once, under the server it was made for. */
function packages(cases: readonly CaseResult[]): string {
  const blocks = packageLists(cases).map(
    ({ name, lines }) =>
      `${escapeLine(name)}\n\n${codeBlock(
        lines.map((line) => plainText(line)),
        "text",
      )}`,
  );
  return blocks.join("\n\n");
}

function commands(results: Results): string {
  const lines = commandLines(results);
  return lines.length === 0 ? "" : codeBlock(lines, "sh");
}

/** How each row's server was started and loaded. */
export function commandLines({ sets, cases }: Results): string[] {
  const rows = sets.flatMap((set) => rowsOf(set, cases));
  return rows.flatMap(({ id, shown, cases: of }) => {
    const argvs = [
      shown.server.command,
      ...of.flatMap(({ generatorCommand }) => (generatorCommand ? [generatorCommand] : [])),
    ];
    const known = argvs.filter((argv) => argv.length > 0);
    return known.length === 0 ? [] : [`# ${plainText(id)}`, ...known.map(shellLine)];
  });
}
