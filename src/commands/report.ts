/** `report`: results files (shards, days) -> one results file and its report. */
import { resolve } from "node:path";
import { InputError } from "../errors.js";
import { mergeResults } from "../results/merge.js";
import { readResults } from "../results/read.js";
import type { Host } from "./host.js";
import { DEFAULTS, type ParsedCommand, textOf } from "./options.js";
import { checkOutputFolder, Recorder } from "./recorder.js";
import { summaryOf } from "./summary.js";

export async function report(parsed: ParsedCommand, host: Host): Promise<number> {
  if (parsed.positionals.length === 0)
    throw new InputError("report needs at least one results file: report RESULTS.json... --out DIR");
  const out = resolve(host.cwd, textOf(parsed, "out") ?? DEFAULTS.out);
  const parts = [];
  for (const source of parsed.positionals)
    parts.push({ source, results: await readResults(resolve(host.cwd, source)) });
  const merged = mergeResults(parts);
  await checkOutputFolder(out);
  const recorder = new Recorder(out, merged);
  await recorder.open();
  await recorder.finish({});
  if (parsed.flags.has("json")) {
    host.stdout.write(`${JSON.stringify(summaryOf(merged, recorder.resultsPath, recorder.reportPath), null, 2)}\n`);
  } else {
    host.stdout.write(`merged ${parts.length} results files, ${merged.cases.length} cases: ${recorder.reportPath}\n`);
  }
  return 0;
}
