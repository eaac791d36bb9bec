/**
 * Why a server did not start with an app: the app is imported once more, without the server, and looked at. This is
 * done after a failure only.
 */
import { clip } from "../../messages/clip.js";
import { reason } from "../../messages/reasons.js";
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
  if (target === undefined || !names(row, target)) return undefined;
  const answer = await importApp(row, ready, context, { limitSec: LIMIT_SEC, routes: false });
  return answer.state === "none" ? undefined : describeAnswer(answer, target, interfaceName);
}

/** Whether the command names the app for the server to import: otherwise a failure has other reasons. */
function names({ server: { command, env } }: PlannedRow, target: string): boolean {
  const name = target.replace(/\(\)$/, "");
  return [...command, ...Object.values(env)].some((text) => text.includes(name));
}

export function describeAnswer(answer: AppAnswer, target: string, interfaceName: string): string | undefined {
  switch (answer.state) {
    case "found":
      if (answer.takes === null) return undefined;
      return reason("other-interface", {
        target,
        takes: `${answer.takes === "wsgi" ? "a" : "an"} ${answer.takes.toUpperCase()}`,
        wanted: interfaceName,
        interface: answer.takes,
      });
    case "failed":
      return importProblem(answer, target);
    case "no-object": {
      const others = answer.callables.length === 0 ? "" : `; it has ${answer.callables.join(", ")}`;
      return reason("target-missing", { target, module: answer.module, name: answer.name, others });
    }
    case "no-callable":
      return reason("target-not-callable", { target, type: answer.type });
  }
}

function importProblem(failed: Extract<AppAnswer, { state: "failed" }>, target: string): string {
  const { missing } = failed;
  const error = importError(failed);
  if (missing === null) return reason("import-fails", { error });
  if (isTargetMissing(target, missing)) return reason("import-lacks-target", { error });
  if (isOfTarget(target, missing)) return reason("import-lacks-own", { error, missing });
  return reason("import-lacks", { error, missing: missing.split(".")[0] ?? missing });
}

/** The error that ended the import, and the first one that led to it, each with its line in the project. */
export function importError({ error, place, cause }: Extract<AppAnswer, { state: "failed" }>): string {
  const at = (where: string | null) => (where === null ? "" : ` (${where})`);
  const first = cause === null ? "" : `, caused by ${clip(cause.error, ERROR_CHARACTERS)}${at(cause.place)}`;
  return `${clip(error, ERROR_CHARACTERS)}${at(place)}${first}`;
}

/** What is wrong with the app, followed by the reason of a failure before the first slice; the reason alone where nothing is wrong. */
export async function explainedReason(
  reason: string,
  ...[row, ready, context]: Parameters<typeof appProblem>
): Promise<string> {
  const problem = await appProblem(row, ready, context);
  return problem === undefined ? reason : `${problem}; ${reason}`;
}
