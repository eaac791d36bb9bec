/** Checks the arguments of a command before anything is started for them. */
import type { ProcessContext } from "../../commands/process-context.js";
import { InputError } from "../../errors.js";
import { didYouMean } from "../../plan/nearest.js";
import { planRun } from "../../plan/plan.js";
import { profileNamed } from "../../plan/profile.js";
import { OWN_SET_HINT } from "../../plan/select.js";
import { type ActionInputs, INPUT_NAMES, readInputs } from "../inputs.js";
import { parseAsked } from "./arguments.js";
import { SUBCOMMANDS } from "./command.js";

/** Any number: the check does not depend on it. */
const CORES = 8;
/** Behind the word that is not known: the list of all sets may be cut. */
const OWN_SETS = " (if it is your own, give scenarios-dir to the step with command: dispatch)";

/**
 * Values are checked as the run checks them. Names of sets and rows are checked only if the workflow has no own scenarios:
 * those are in the checkout, which this job does not have.
 * @throws InputError naming the value, or the nearest name
 */
export async function checkArguments(
  words: readonly string[],
  inputs: ActionInputs,
  { root, cwd }: ProcessContext,
): Promise<void> {
  const { selectors, inputs: given } = parseAsked(words);
  const asked = readInputs((name) => given.get(name) ?? "", cwd);
  profileNamed(asked.run.profile, INPUT_NAMES.profile);
  if (selectors.length === 0 || inputs.scenariosDir !== undefined) return;
  const known = await planRun({ root, cwd, cores: CORES, selectors: [], profile: "quick" });
  const names = known.sets.map(({ name }) => name);
  try {
    for (const selector of selectors.flatMap((one) => one.split(","))) checkName(selector, names);
    await planRun({ root, cwd, cores: CORES, selectors, profile: asked.run.profile });
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(error.message.replace(OWN_SET_HINT, "").replace(/;|$/, `${OWN_SETS}$&`));
  }
}

/** A wrong word may be a misspelt set or a misspelt command. */
function checkName(selector: string, sets: readonly string[]): void {
  if (/[/*]/.test(selector) || selector === "" || sets.includes(selector)) return;
  throw new InputError(
    `unknown word "${selector}"${didYouMean(selector, [...SUBCOMMANDS, ...sets]) || `; /bench help lists the commands; sets: ${sets.join(", ")}`}`,
  );
}
