/** Actions entry: inputs -> the run; the only place that fails the step. */
import { randomUUID } from "node:crypto";
import { fileURLToPath } from "node:url";
import { getInput, info, setFailed, setOutput, summary } from "@actions/core";
import type { Host } from "./commands/host.js";
import { InputError, SetupError } from "./errors.js";
import type { Results } from "./results/schema.js";

const root = fileURLToPath(new URL("..", import.meta.url));
/** GitHub drops a step's summary beyond this. */
const SUMMARY_BYTES = 1024 * 1024 - 1024;

try {
  await main();
} catch (error) {
  const known = error instanceof InputError || error instanceof SetupError;
  setFailed(known ? [error.message, error instanceof SetupError ? error.log : ""].join("\n").trim() : (error as Error));
}

async function main(): Promise<void> {
  info("server-bench");
  const [{ run }, { optionsFromInputs }, { openDisplay }, { renderReport }] = await Promise.all([
    import("./commands/run.js"),
    import("./commands/inputs.js"),
    import("./commands/display.js"),
    import("./report/page.js"),
  ]);
  const workspace = process.env.GITHUB_WORKSPACE || process.cwd();
  const host: Host = { root, cwd: workspace, env: process.env, stdout: process.stdout, stderr: process.stderr };
  const options = optionsFromInputs(getInput, workspace);
  // What servers and installers print may be quoted in messages: no line of it becomes a workflow command.
  const token = randomUUID();
  process.stdout.write(`::stop-commands::${token}\n`);
  const outcome = await run(options, host, openDisplay(process.stdout, process.env)).finally(() => {
    process.stdout.write(`::${token}::\n`);
  });
  if (!outcome.results || !outcome.resultsPath || !outcome.reportPath)
    throw new SetupError("interrupted before anything was measured");
  const count = (state: string) => outcome.results?.cases.filter((result) => result.state === state).length ?? 0;
  setOutput("results-path", outcome.resultsPath);
  setOutput("report-path", outcome.reportPath);
  setOutput("completed", count("completed"));
  setOutput("failed", count("failed"));
  // A summary has no files beside it: no charts.
  await summary.addRaw(fitting(renderReport(outcome.results))).write();
  if (outcome.exitCode === 1) setFailed(gateMessage(outcome.results, options.failOn));
  else if (outcome.exitCode === 3)
    setFailed("nothing could be measured: every row failed or was skipped; the report says why");
  else if (outcome.exitCode !== 0) setFailed("interrupted");
}

function gateMessage({ cases, comparison }: Results, failOn: string): string {
  const ids =
    failOn === "worse"
      ? (comparison?.rows ?? []).filter((row) => row.verdict === "worse").map((row) => row.id)
      : cases.filter((result) => result.state === "failed").map((result) => result.id);
  return `${failOn} (fail-on: ${failOn}): ${[...new Set(ids)].join(", ")}`;
}

function fitting(report: string): string {
  if (Buffer.byteLength(report) <= SUMMARY_BYTES) return report;
  const cut = Buffer.from(report).subarray(0, SUMMARY_BYTES).toString("utf8");
  return `${cut.slice(0, cut.lastIndexOf("\n"))}\n\nThe report is longer than a step's summary may be; the rest is in report.md.\n`;
}
