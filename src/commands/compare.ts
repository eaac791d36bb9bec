/** `compare`: compares the newest of some stored results files with the others. Nothing is measured. */
import { resolve } from "node:path";
import { compareStored } from "../compare/stored.js";
import { InputError } from "../errors.js";
import { comparisonText } from "../report/comparison/section.js";
import { readResults } from "../results/read.js";
import { type ParsedCommand, repeatOf, textOf } from "./options.js";
import { checkOutputFolder } from "./output-folder.js";
import { cliPath, type ProcessContext } from "./process-context.js";
import { ResultsWriter } from "./results-writer.js";
import { readStoredRuns } from "./run/against.js";
import { isAnythingMeasured } from "./run/exit-code.js";
import { checkServers } from "./run/stored.js";

const FALLBACK_COLUMNS = 100;

/** @throws InputError for fewer than two files, one that cannot be read, or a server that head does not have. */
export async function compare(parsed: ParsedCommand, context: ProcessContext): Promise<number> {
  const files = parsed.positionals.slice(0, -1);
  const last = parsed.positionals.at(-1);
  if (last === undefined || files.length === 0)
    throw new InputError(
      "compare needs two results files or more, head last: compare BASE.json [BASE2.json ...] HEAD.json",
    );
  const head = await readResults(resolve(context.cwd, last));
  const [anchors, tested] = [parsed.values.get("anchor") ?? [], parsed.values.get("server-under-test") ?? []];
  const servers = head.cases.map((result) => result.server.name);
  checkServers("--anchor", anchors, servers);
  checkServers("--server-under-test", tested, servers);
  if (head.cases.length === 0 && isAnythingMeasured(head))
    throw new InputError(
      `${last}: only instructions or memory were measured. Stored results are compared by throughput and cpu: measure these, or compare both sides in one run (run --base)`,
    );
  const base = await readStoredRuns(files, context.cwd);
  const comparison = compareStored(base, head, { anchors, tested, command: repeatOf(parsed, cliPath(context)) });
  // What head had nothing to compare with is compared here.
  const { nothingToCompare: _, ...run } = head.run;
  const results = { ...head, run, comparison };
  const out = textOf(parsed, "out");
  if (out !== undefined) {
    const folder = resolve(context.cwd, out);
    await checkOutputFolder(folder, "--out");
    const writer = new ResultsWriter(folder, results);
    await writer.open();
    await writer.finish({});
  }
  const text = parsed.flags.has("json")
    ? JSON.stringify(results.comparison, null, 2)
    : comparisonText(results.comparison, context.stdout.columns ?? FALLBACK_COLUMNS);
  context.stdout.write(`${text}\n`);
  return 0;
}
