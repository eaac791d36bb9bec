/** `setup`: install what rows need, and nothing else. */
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { planRun, rowsOf } from "../plan/plan.js";
import { provision } from "../provision/provision.js";
import { openDisplay } from "./display.js";
import type { Host } from "./host.js";
import { type ParsedCommand, textOf } from "./options.js";
import { type Interrupted, Session } from "./session.js";

/** Exit code 3 when an environment could not be made; the others are there. */
export async function setup(parsed: ParsedCommand, host: Host): Promise<number> {
  const scenarios = textOf(parsed, "scenarios");
  const python = textOf(parsed, "python");
  const plan = await planRun({
    root: host.root,
    cwd: host.cwd,
    selectors: parsed.positionals,
    profile: "standard",
    servers: parsed.values.get("server") ?? [],
    cores: availableParallelism(),
    ...(scenarios === undefined ? {} : { scenarios: resolve(host.cwd, scenarios) }),
    ...(python === undefined ? {} : { python }),
  });
  await using session = await Session.open(host.env);
  const display = openDisplay(host.stdout, host.env);
  try {
    const { environments } = await provision(rowsOf(plan), {
      run: session.context,
      env: host.env,
      progress: display.setup,
    });
    const failed = [...environments.values()].filter((state) => state.state !== "ready").length;
    display.line(
      failed === 0
        ? `ready: ${environments.size} environments`
        : `${failed} of ${environments.size} environments could not be made`,
    );
    return failed === 0 ? 0 : 3;
  } catch (error) {
    if (!session.context.signal.aborted) throw error;
    return (session.context.signal.reason as Interrupted).exitCode;
  } finally {
    display.close();
  }
}
