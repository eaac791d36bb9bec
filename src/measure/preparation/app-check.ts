/**
 * Why a server did not start with an app: the app is imported once more, without the server, and looked at. This is
 * done after a failure only.
 */
import { clip } from "../../messages/clip.js";
import type { PlannedRow } from "../../plan/types.js";
import type { ReadyEnvironment } from "../../provision/types.js";
import { type AppAnswer, importApp, isOfTarget, isTargetMissing } from "./app-import.js";
import type { PreparationContext } from "./prepare.js";

const LIMIT_SEC = 20;
/** Of an error's text: a program's whole output can stand in it, and a reason has room for 20,000 characters. */
const ERROR_CHARACTERS = 2000;

/**
 * What is wrong with the app, and what would be right; undefined where it can be imported and has the row's interface.
 * @throws the run's abort reason
 */
export async function appProblem(
  row: PlannedRow,
  ready: ReadyEnvironment,
  context: PreparationContext,
): Promise<string | undefined> {
  const { target, interface: interfaceName } = row.server;
  if (target === undefined) return undefined;
  const answer = await importApp(row, ready, context, { limitSec: LIMIT_SEC, routes: false });
  return answer.state === "none" ? undefined : describeAnswer(answer, target, interfaceName);
}

function describeAnswer(answer: AppAnswer, target: string, interfaceName: string): string | undefined {
  switch (answer.state) {
    case "found":
      if (answer.takes === null) return undefined;
      return `the target ${target} looks like ${answer.takes === "wsgi" ? "a" : "an"} ${answer.takes.toUpperCase()} app, but the scenario file says \`interface: ${interfaceName}\`. Write \`interface: ${answer.takes}\`, and choose a server that speaks it`;
    case "failed":
      return importProblem(answer, target);
    case "no-object": {
      const others = answer.callables.length === 0 ? "" : `; it has ${answer.callables.join(", ")}`;
      return `the target ${target} is not there: the module ${answer.module} has no ${answer.name}${others}: correct \`target\` of the app`;
    }
    case "no-callable":
      return `the target ${target} is a ${answer.type} and cannot be called: \`target\` names the application object`;
  }
}

function importProblem({ error, missing, place }: Extract<AppAnswer, { state: "failed" }>, target: string): string {
  const where = place === null ? "" : ` (${place})`;
  const said = `the app does not import: ${clip(error, ERROR_CHARACTERS)}${where}`;
  if (missing === null) return said;
  if (isTargetMissing(target, missing))
    return `${said}: correct \`path\` and \`target\` of the app, or install the project (\`install\`)`;
  if (isOfTarget(target, missing))
    return `${said}: the app's own ${missing} is not there. Add it, or correct the import`;
  return `${said}: add what provides ${missing.split(".")[0]} to \`requires\` or \`install\` of the app`;
}

/** What is wrong with the app, followed by the reason of a failure before the first slice; the reason alone where nothing is wrong. */
export async function explainedReason(
  reason: string,
  ...[row, ready, context]: Parameters<typeof appProblem>
): Promise<string> {
  const problem = await appProblem(row, ready, context);
  return problem === undefined ? reason : `${problem}; ${reason}`;
}
