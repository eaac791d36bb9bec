/** `setup`: install what rows need, and nothing else. */
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { checkAppFiles } from "../plan/app-files.js";
import { rowsOf } from "../plan/plan.js";
import { provision } from "../provision/provision.js";
import { openDisplay } from "./display.js";
import { joinedOf, type ParsedCommand, textOf } from "./options.js";
import { planWithPythons } from "./planning.js";
import { checkPlatform } from "./platform.js";
import type { ProcessContext } from "./process-context.js";
import { Session } from "./session.js";

/** Exit code 3 when an environment or a load generator could not be made; the others are there. */
export async function setup(parsed: ParsedCommand, context: ProcessContext): Promise<number> {
  checkPlatform("setup");
  const scenarios = textOf(parsed, "scenarios");
  const display = openDisplay(context.stdout, context.env);
  const planned = {
    root: context.root,
    cwd: context.cwd,
    selectors: parsed.positionals,
    profile: "standard",
    servers: parsed.values.get("server") ?? [],
    cores: availableParallelism(),
    ...(scenarios === undefined ? {} : { scenarios: resolve(context.cwd, scenarios) }),
  };
  const plan = await planWithPythons(planned, joinedOf(parsed, "python"), context, display.setup);
  checkAppFiles(rowsOf(plan));
  await using session = await Session.open(context.env);
  try {
    const { environments, generators } = await provision(rowsOf(plan), {
      run: session.context,
      env: context.env,
      progress: display.setup,
    });
    const states = [...environments.values(), ...generators.values()];
    const failed = states.filter((state) => state.state !== "ready").length;
    const counted = `${environments.size} environments and ${generators.size} load generators`;
    display.line(failed === 0 ? `ready: ${counted}` : `${failed} of ${counted} could not be made`);
    return failed === 0 ? 0 : 3;
  } catch (error) {
    // Of an interrupt, not of what it broke.
    throw session.context.signal.aborted ? session.context.signal.reason : session.explain(error);
  } finally {
    display.close();
  }
}
