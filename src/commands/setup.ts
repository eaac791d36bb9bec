/** `setup`: install what rows need, and nothing else. */
import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { plural } from "../messages/sentence.js";
import { checkAppFiles } from "../plan/app-files.js";
import { rowsOf } from "../plan/plan.js";
import { provision } from "../provision/provision.js";
import type { EnvironmentState } from "../provision/types.js";
import { openDisplay } from "./display.js";
import { joinedOf, type ParsedCommand, textOf } from "./options.js";
import { planWithPythons } from "./planning.js";
import { checkPlatform } from "./platform.js";
import type { ProcessContext } from "./process-context.js";
import { Session } from "./session.js";

/**
 * Exit code 3 when an environment or a load generator could not be made, or none is ready; the others are there. A Python that is
 * not there is no failure: `run` skips its rows too.
 */
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
    for (const line of skippedLines(environments.values())) display.line(line);
    const made = counts([...environments.values()]);
    const tools = counts([...generators.values()]);
    display.line(readyLine(made, tools));
    return made.failed + tools.failed > 0 || made.ready === 0 ? 3 : 0;
  } catch (error) {
    // Of an interrupt, not of what it broke.
    throw session.context.signal.aborted ? session.context.signal.reason : session.explain(error);
  } finally {
    display.close();
  }
}

/** One line for each reason: several servers may need the same Python. */
function skippedLines(environments: Iterable<EnvironmentState>): string[] {
  const byReason = new Map<string, number>();
  for (const one of environments)
    if (one.state === "skipped") byReason.set(one.reason, (byReason.get(one.reason) ?? 0) + 1);
  return [...byReason].map(([reason, count]) => `skipped  ${plural(count, "environment")}: ${reason}`);
}

type Counts = Readonly<Record<"all" | EnvironmentState["state"], number>>;

function counts(states: readonly Pick<EnvironmentState, "state">[]): Counts {
  const found = { all: states.length, ready: 0, failed: 0, skipped: 0 };
  for (const { state } of states) found[state] += 1;
  return found;
}

/** `ready: 61 of 67 environments and 3 load generators (6 skipped)` */
function readyLine(environments: Counts, generators: Counts): string {
  const counted = [
    { noun: "environment", of: environments },
    { noun: "load generator", of: generators },
  ].map(({ noun, of: { all, ready } }) => `${ready === all ? "" : `${ready} of `}${plural(all, noun)}`);
  const [failed, skipped] = (["failed", "skipped"] as const).map((state) => environments[state] + generators[state]);
  const rest = [...(failed ? [`${failed} failed`] : []), ...(skipped ? [`${skipped} skipped`] : [])];
  return `ready: ${counted.join(" and ")}${rest.length === 0 ? "" : ` (${rest.join(", ")})`}`;
}
