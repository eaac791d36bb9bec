/** The plan of a run. Where a set runs under every Python of the machine, they are found first. */
import { InputError } from "../errors.js";
import { DEFAULTS } from "../options/options.js";
import { COMMAND_LINE, type OptionNames } from "../plan/option-names.js";
import { needsPythons, type Planned, type PlanOptions, planRun } from "../plan/plan.js";
import type { PythonChoice } from "../plan/types.js";
import { findPythons } from "../provision/environments/pythons.js";
import type { ProvisionProgress } from "../provision/types.js";
import type { ProcessContext } from "./process-context.js";
import { Session } from "./session.js";

/**
 * @param python versions or paths, separated by commas
 * @throws InputError for wrong options, before anything is started; only an unknown row of a set over Pythons is found
 * after them. SetupError when the Pythons cannot be found. Interrupted
 */
export async function planWithPythons(
  options: Omit<PlanOptions, "python" | "pythons">,
  python: string | undefined,
  context: ProcessContext,
  progress: ProvisionProgress,
): Promise<Planned> {
  const asked = (python ?? "").split(",").filter((value) => value !== "");
  const [own] = asked;
  const plain = { ...options, ...(own === undefined ? {} : { python: own }) };
  if (await needsPythons(options)) {
    // The files and every other option are checked before uv is asked for anything.
    await planRun({ ...plain, selectors: [] });
    return planRun({ ...plain, pythons: await pythonsOfMachine(asked, context, progress) });
  }
  if (asked.length > 1) {
    const given = asked.join(", ");
    throw new InputError(
      `${(options.names ?? COMMAND_LINE).python} names ${asked.length} Pythons (${given}): give one; only sets such as python-versions take several`,
    );
  }
  return planRun(plain);
}

/** Somebody who gives a folder of their own may not expect the default. */
export function ownSetsNotes(
  { ownSets }: Planned["library"],
  selectors: readonly string[],
  names: OptionNames = COMMAND_LINE,
): string[] {
  if (ownSets.length === 0 || selectors.join() !== DEFAULTS.selectors.join()) return [];
  return [`no set of ${names.scenarios} is selected (it has ${ownSets.join(", ")}): ${names.selectors}`];
}

async function pythonsOfMachine(
  asked: readonly string[],
  context: ProcessContext,
  progress: ProvisionProgress,
): Promise<readonly PythonChoice[]> {
  await using session = await Session.open(context.env);
  return await findPythons({ run: session.context, env: { ...context.env }, progress }, asked);
}
