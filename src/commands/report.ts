/** `report`: results files (shards, days) -> one results file and its report. */

import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { InputError } from "../errors.js";
import { mergeResults } from "../merge/merge.js";
import { type MissingShard, missingShards, withMissing } from "../merge/missing-shards.js";
import type { Part } from "../merge/parts.js";
import { plural } from "../messages/sentence.js";
import { DEFAULTS } from "../options/options.js";
import { caseKey } from "../results/check.js";
import { readPlanFile } from "../results/plan-file.js";
import { readResults } from "../results/read.js";
import { copyProfiles, type PartFile } from "./merged-profiles.js";
import { type ParsedCommand, textOf } from "./options.js";
import { checkOutputFolder } from "./output-folder.js";
import type { ProcessContext } from "./process-context.js";
import { ResultsWriter } from "./results-writer.js";
import { summaryOf } from "./summary.js";

/** Exit code 0 even where shards are missing: the report names their rows. */
export async function report(parsed: ParsedCommand, context: ProcessContext): Promise<number> {
  if (parsed.positionals.length === 0)
    throw new InputError("report needs at least one results file: report RESULTS.json... --out DIR");
  const out = resolve(context.cwd, textOf(parsed, "out") ?? DEFAULTS.out);
  const planned = textOf(parsed, "plan");
  const plan = planned === undefined ? undefined : await readPlanFile(resolve(context.cwd, planned));
  const parts: PartFile[] = [];
  for (const source of parsed.positionals) {
    const path = resolve(context.cwd, source);
    parts.push({ source, path, results: await readResults(path) });
  }
  const missing = missingShards(
    parts.map(({ results }) => results),
    plan,
  );
  const merged = withMissing(mergeResults(parts), missing);
  await checkOutputFolder(out, "--out");
  await mkdir(out, { recursive: true });
  const writer = new ResultsWriter(out, merged);
  await copyProfiles(parts, out);
  await writer.finish({});
  for (const one of missing) context.stderr.write(`server-bench: warning: ${missingLine(one)}\n`);
  if (parsed.flags.has("json")) {
    const summary = { ...summaryOf(merged, writer.resultsPath, writer.reportPath), missing };
    context.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
  } else {
    context.stdout.write(
      `merged ${plural(parts.length, "results file")}, ${plural(merged.cases.length, "case")}: ${writer.reportPath}\n`,
    );
    if (isHistory(parts)) context.stdout.write(`${HISTORY_HINT}\n`);
  }
  return 0;
}

const HISTORY_HINT =
  'Runs of several times were merged: the report shows the newest figures. "history" with the same files shows how they changed.';

/** Several runs that measured the same row; shards have different ones. */
function isHistory(parts: readonly Part[]): boolean {
  const seen = new Set<string>();
  for (const { results } of parts) {
    const own = new Set(results.cases.map(caseKey));
    for (const key of own) if (seen.has(key)) return true;
    for (const key of own) seen.add(key);
  }
  return false;
}

function missingLine({ shard, reason, rows }: MissingShard): string {
  return `shard ${shard}: ${reason}${rows.length === 0 ? "" : `; ${plural(rows.length, "benchmark")} not measured: ${rows.join(", ")}`}`;
}
