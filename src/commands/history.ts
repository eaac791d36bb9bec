/** `history`: results files of many runs -> their trends, level shifts, a feed and a badge. */
import { stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { InputError } from "../errors.js";
import { type History, historyOf } from "../history/model.js";
import { parseRepository, repositoryOfJob } from "../history/repository.js";
import { plural } from "../messages/sentence.js";
import { HISTORY_OUT } from "../options/options.js";
import { writeHistory } from "./history-files.js";
import { readSources } from "./history-sources.js";
import { type ParsedCommand, textOf } from "./options.js";
import { checkOutputFolder, PAGE_FILE, REPORT_FILE, RESULTS_FILE } from "./output-folder.js";
import type { ProcessContext } from "./process-context.js";
import { toolVersion } from "./version.js";

/** @throws InputError for no files, one that cannot be read, or none that can be shown */
export async function history(parsed: ParsedCommand, context: ProcessContext): Promise<number> {
  if (parsed.positionals.length === 0)
    throw new InputError("history needs results files, or folders of them: history RESULTS... --out DIR");
  const out = resolve(context.cwd, textOf(parsed, "out") ?? HISTORY_OUT);
  const given = textOf(parsed, "repository");
  const repository = given === undefined ? repositoryOfJob(context.env) : parseRepository(given, "--repository");
  await checkOutputFolder(out, "--out");
  await keepReports(out);
  const { runs, unreadable } = await readSources(parsed.positionals, context.cwd);
  const found = historyOf(runs, unreadable);
  if (found.runs.length === 0)
    throw new InputError(["no run can be shown:", ...found.leftOut.map(leftOutLine)].join("\n"));
  await writeHistory(out, found, { repository, toolVersion: await toolVersion(context.root) });
  const page = join(out, PAGE_FILE);
  if (parsed.flags.has("json")) context.stdout.write(`${JSON.stringify(summaryOf(found, page), null, 2)}\n`);
  else {
    for (const one of found.leftOut) context.stderr.write(`server-bench: left out: ${leftOutLine(one)}\n`);
    context.stdout.write(`${summaryLine(found)}: ${page}\n`);
  }
  return 0;
}

function leftOutLine({ source, reason }: History["leftOut"][number]): string {
  return `${source}: ${reason}`;
}

/** The page of a run has the same name: it must not be replaced by chance. */
async function keepReports(out: string): Promise<void> {
  for (const name of [RESULTS_FILE, REPORT_FILE]) {
    const found = await stat(join(out, name)).catch(() => undefined);
    if (found) throw new InputError(`--out ${out}: holds the report of a run (${name}); give another folder`);
  }
}

function changesIn({ rows }: History): number {
  return rows.reduce((sum, { changes }) => sum + changes.length, 0);
}

function summaryLine(found: History): string {
  const left = found.leftOut.length > 0 ? `, ${plural(found.leftOut.length, "file")} left out` : "";
  return `${plural(found.runs.length, "run")}, ${plural(found.rows.length, "benchmark")}, ${plural(changesIn(found), "level shift")}${left}`;
}

function summaryOf(found: History, page: string) {
  return {
    page,
    runs: found.runs.length,
    rows: found.rows.length,
    changes: changesIn(found),
    leftOut: found.leftOut,
  };
}
