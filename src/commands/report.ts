/** `report`: results files (shards, days) -> one results file and its report. */
import { mkdir } from "node:fs/promises";
import { resolve } from "node:path";
import { InputError } from "../errors.js";
import { mergeResults } from "../merge/merge.js";
import { type MissingShard, missingShards, withMissing } from "../merge/missing-shards.js";
import type { Part } from "../merge/parts.js";
import { plural } from "../report/text/format.js";
import { readPlanFile } from "../results/plan-file.js";
import { readResults } from "../results/read.js";
import type { Host } from "./host.js";
import { DEFAULTS, type ParsedCommand, textOf } from "./options.js";
import { checkOutputFolder, Recorder } from "./recorder.js";
import { summaryOf } from "./summary.js";

/** Exit code 0 where shards are missing too: what was measured is reported, and what was not is named. */
export async function report(parsed: ParsedCommand, host: Host): Promise<number> {
  if (parsed.positionals.length === 0)
    throw new InputError("report needs at least one results file: report RESULTS.json... --out DIR");
  const out = resolve(host.cwd, textOf(parsed, "out") ?? DEFAULTS.out);
  const planned = textOf(parsed, "plan");
  const plan = planned === undefined ? undefined : await readPlanFile(resolve(host.cwd, planned));
  const parts: Part[] = [];
  for (const source of parsed.positionals)
    parts.push({ source, results: await readResults(resolve(host.cwd, source)) });
  const missing = missingShards(
    parts.map(({ results }) => results),
    plan,
  );
  const merged = withMissing(mergeResults(parts), missing);
  await checkOutputFolder(out);
  await mkdir(out, { recursive: true });
  const recorder = new Recorder(out, merged);
  await recorder.finish({});
  for (const one of missing) host.stderr.write(`server-bench: warning: ${missingLine(one)}\n`);
  if (parsed.flags.has("json")) {
    const summary = { ...summaryOf(merged, recorder.resultsPath, recorder.reportPath), missing };
    host.stdout.write(`${JSON.stringify(summary, null, 2)}\n`);
  } else {
    host.stdout.write(`merged ${parts.length} results files, ${merged.cases.length} cases: ${recorder.reportPath}\n`);
  }
  return 0;
}

function missingLine({ shard, reason, rows }: MissingShard): string {
  return `shard ${shard}: ${reason}${rows.length === 0 ? "" : `; ${plural(rows.length, "row")} not measured: ${rows.join(", ")}`}`;
}
