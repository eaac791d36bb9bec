/** Actions entry: inputs -> a command; the only place that writes outputs and fails the step. */
import { fileURLToPath } from "node:url";
import { hideEnvironment } from "./actions/hide-environment.js";
import type { Published } from "./actions/publish.js";
import type { ProcessContext } from "./commands/process-context.js";
import { unusedProxy } from "./github/proxy.js";
import { absoluteFolders } from "./surroundings.js";

const readable = hideEnvironment();
const root = fileURLToPath(new URL("..", import.meta.url));
process.stdout.write("server-bench\n");
for (const note of [readable, unusedProxy(process.env)])
  if (note !== undefined) process.stdout.write(`note   ${note}\n`);
const { error, getInput, notice, setFailed, setOutput, summary, warning } = await import("@actions/core");

try {
  await main();
} catch (thrown) {
  await fail(thrown);
}
// An open keep-alive connection must not keep the step running.
process.exit();

async function main(): Promise<void> {
  const [{ readInputs }, { openActionContext }] = await Promise.all([
    import("./actions/inputs.js"),
    import("./actions/context.js"),
  ]);
  const workspace = process.env.GITHUB_WORKSPACE || process.cwd();
  Object.assign(process.env, absoluteFolders(process.env, workspace));
  const context: ProcessContext = {
    root,
    cwd: workspace,
    env: process.env,
    stdout: process.stdout,
    stderr: process.stderr,
  };
  const inputs = readInputs(getInput, workspace);
  const [action, command] = await Promise.all([openActionContext(inputs, context), commandOf(inputs.command)]);
  await show(await command(action));
}

async function fail(thrown: unknown): Promise<void> {
  const [{ explainFailure }, { plainLine }] = await Promise.all([
    import("./actions/failure.js"),
    import("./actions/context.js"),
  ]);
  const { line, details } = explainFailure(thrown);
  for (const detail of details) process.stdout.write(`${plainLine(detail)}\n`);
  setFailed(line);
}

async function commandOf(name: "run" | "plan" | "report" | "release" | "dispatch") {
  switch (name) {
    case "run":
      return (await import("./actions/run.js")).runAction;
    case "plan":
      return (await import("./actions/plan.js")).planAction;
    case "report":
      return (await import("./actions/report.js")).reportAction;
    case "release":
      return (await import("./actions/release.js")).releaseAction;
    case "dispatch":
      return (await import("./actions/bench/dispatch.js")).dispatchAction;
  }
}

async function show({ outputs, annotations, summary: text, failure }: Published): Promise<void> {
  for (const [name, value] of Object.entries(outputs)) setOutput(name, value);
  const say = { error, warning, notice };
  for (const { level, title, message } of annotations) say[level](message, { title });
  // Some runners give no summary file.
  if (process.env.GITHUB_STEP_SUMMARY) await summary.addRaw(text).write();
  if (failure !== undefined) setFailed(failure);
}
