/** The commands that repeat a run or measure its changed rows again, to be pasted into a fresh shell. */
import type { Results } from "../../results/schema.js";
import { isChange } from "../comparison/metric-text.js";
import { codeBlock, plainText } from "../text/escape.js";
import { shellLine } from "../text/shell-line.js";
import { argumentsOf, type RunArguments, runArguments, wordsOf } from "./command-line.js";
import type { Origin } from "./origin.js";

export interface Repeat {
  /** A sentence before the block, in Markdown. */
  readonly heading: string;
  readonly lines: readonly string[];
}

/** With more ids than this the line is too long to read: the whole run is repeated instead. */
const ROWS_NAMED = 12;

/** For the comment: the changed rows where there are some, else the run. */
export function repeatChanged(results: Results, origin: Origin | undefined): readonly Repeat[] {
  const ids = changedIds(results);
  if (ids.length === 0 || ids.length > ROWS_NAMED) return repeatRun(results, origin);
  const heading =
    ids.length === 1
      ? "To measure the changed benchmark again:"
      : `To measure the ${ids.length} changed benchmarks again:`;
  return repeatRows(results, ids, { origin, heading });
}

interface RepeatRows {
  readonly origin: Origin | undefined;
  readonly heading: string;
}

/** For some rows; the whole run where its command is not known. */
export function repeatRows(
  results: Results,
  ids: readonly string[],
  { origin, heading }: RepeatRows,
): readonly Repeat[] {
  const recorded = runArguments(results.comparison?.command ?? results.run.command);
  if (recorded === undefined) return repeatRun(results, origin);
  const again = againstBase({ ...recorded, selectors: ids }, results);
  return [{ heading: headed(heading, results, origin), lines: script(wordsOf(again), results, origin) }];
}

/** For the report: the run as it was, shards together. */
export function repeatRun(results: Results, origin: Origin | undefined): readonly Repeat[] {
  const { run, comparison } = results;
  const recorded = runArguments(comparison?.command ?? run.command);
  if (recorded === undefined || origin === undefined)
    return [{ heading: headed("To repeat the run:", results, origin), lines: recordedLines(results) }];
  const whole = againstBase({ ...recorded, selectors: allSelectors(results, recorded) }, results);
  const heading = comparison?.mode === "artifact" ? "To measure base and head side by side:" : "To repeat the run:";
  return [{ heading, lines: script(wordsOf(whole), results, origin) }];
}

export function repeatMarkdown(repeats: readonly Repeat[]): string {
  return repeats.map(({ heading, lines }) => `${heading}\n\n${codeBlock(lines, "sh")}`).join("\n\n");
}

function changedIds({ comparison }: Results): string[] {
  return [...new Set((comparison?.rows ?? []).filter((row) => isChange(row.verdict)).map(({ id }) => id))];
}

/** Of all shards. */
function allSelectors({ run }: Results, { selectors }: RunArguments): readonly string[] {
  const each = (run.parts ?? []).flatMap(({ command }) => runArguments(command)?.selectors ?? []);
  return each.length === 0 ? selectors : [...new Set(each)];
}

/** Options for stored files, and options that mean nothing for other rows. */
const STORED: readonly string[] = ["--base-results", "--anchor", "--confirm", "--budget", "--shard", "--fail-on"];

/** Measures base's commit beside head in pairs: a branch moves on, and stored files exist on the runner only. */
function againstBase({ selectors, options }: RunArguments, { comparison }: Results): RunArguments {
  const sha = commit(comparison?.confirmedWith?.sha ?? comparison?.base.sha);
  if (comparison === undefined || sha === undefined || comparison.base.folder !== undefined)
    return { selectors, options };
  const others = options.filter(([name]) => name !== "--base" && !STORED.includes(name));
  return { selectors, options: [["--base", sha], ...others] };
}

function script(words: readonly string[], { run, comparison }: Results, origin: Origin | undefined): string[] {
  if (origin === undefined) return [commandLine(run.command, words)];
  const { tool, serverUrl, repository } = origin;
  const [toolFolder, folder] = ["server-bench", folderOf(repository)];
  const head = commit(run.git?.sha);
  const base = commit(comparison?.confirmedWith?.sha ?? comparison?.base.sha);
  const commits = [head, base].filter((sha) => sha !== undefined);
  const clone = (name: string, into: string) => [
    ...["git", "clone", `${serverUrl}/${name}`],
    ...(name.endsWith(`/${into}`) ? [] : [into]),
  ];
  const commands = [
    clone(tool.repository, toolFolder),
    // A clone has the commits of branches and tags only; a pull request's commit may be on neither.
    ...(commit(tool.ref) === undefined ? [] : [["git", "-C", toolFolder, "fetch", "origin", tool.ref]]),
    ["git", "-C", toolFolder, "checkout", tool.ref],
    ...(head === undefined
      ? []
      : [
          clone(repository, folder),
          ["cd", folder],
          ["git", "fetch", "origin", ...new Set(commits)],
          ["git", "checkout", head],
        ]),
    [
      ...["node", `${head === undefined ? "" : "../"}${toolFolder}/dist/cli.js`],
      ...words.map((word) => withinCheckout(word, origin)),
    ],
  ];
  // When one fails, the shell runs none of the others.
  return commands.map((argv, i) => shellLine(argv) + (i < commands.length - 1 ? " &&" : ""));
}

/** Beside the tool's own folder. */
function folderOf(repository: string): string {
  const name = repository.split("/").at(-1) ?? repository;
  return name === "server-bench" ? "measured" : name;
}

/** `granian=/home/runner/work/app/app/granian` -> `granian=./granian`: no other machine has the runner's folder. */
function withinCheckout(word: string, { workspace }: Origin): string {
  const at = word.indexOf("=") + 1;
  const [name, path] = [word.slice(0, at), word.slice(at)];
  if (workspace === "" || (path !== workspace && !path.startsWith(`${workspace}/`))) return word;
  return `${name}.${path.slice(workspace.length)}`;
}

/** As recorded on a command line: one line for the run, or one for each of its parts. */
function recordedLines({ run, comparison }: Results): string[] {
  if (run.parts)
    return run.parts.flatMap((part) => [
      `# ${plainText(part.source)}, ${part.startedAt}`,
      commandLine(part.command, argumentsOf(part.command)),
    ]);
  const { command } = run;
  const compared = comparison?.command;
  const lines = [command, ...(compared ? [compared] : [])].map((argv) => commandLine(argv, argumentsOf(argv)));
  return [...new Set(lines)];
}

/** Results of an action have `server-bench` for the program, because the runner's path is of no use elsewhere. */
function commandLine(argv: readonly string[], words: readonly string[]): string {
  const [program = "", path] = argv;
  const start = program === "node" && path !== undefined ? [program, path] : ["node", "../server-bench/dist/cli.js"];
  return shellLine([...start, ...words]);
}

function headed(heading: string, { run }: Results, origin: Origin | undefined): string {
  const commands = [run.command, ...(run.parts ?? []).map(({ command }) => command)];
  if (origin !== undefined || commands.every(([program]) => program === "node")) return heading;
  return `${heading.replace(/:$/, "")}, in the measured checkout with a clone of server-bench next to it:`;
}

function commit(sha: string | undefined): string | undefined {
  return sha !== undefined && /^[0-9a-f]{40}$/.test(sha) ? sha : undefined;
}
