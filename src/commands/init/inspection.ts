/** What the import of an app shows: its routes, or a message that says what is wrong with it. */
import { InputError, SetupError } from "../../errors.js";
import { readTopology, splitCpus } from "../../measure/machine/cpus.js";
import { importError } from "../../measure/preparation/app-check.js";
import { type AppAnswer, importApp, isTargetMissing } from "../../measure/preparation/app-import.js";
import type { CommandEnd } from "../../measure/preparation/command.js";
import { describeExit } from "../../process/group.js";
import { filesFolder, type PreparedApp, type TrialContext } from "./trial.js";

/** An app that waits for a database has given up by then. */
const IMPORT_TIMEOUT_SEC = 60;
/** Lines of a traceback that are shown. */
const LAST_LINES = 6;

export type Inspected = Extract<AppAnswer, { readonly state: "found" }>;

/** @throws InputError for an app that does not import, or whose target is none */
export async function inspectApp({ row, ready }: PreparedApp, trial: TrialContext): Promise<Inspected> {
  const { context, session } = trial;
  const preparation = {
    run: session.context,
    cpus: splitCpus(readTopology()),
    env: { ...context.env },
    filesDir: filesFolder(trial),
  };
  const answer = await importApp(row, ready, preparation, { limitSec: IMPORT_TIMEOUT_SEC, routes: true });
  const { target = "", cwd } = row.server;
  if (answer.state === "found") return answer;
  if (answer.state === "none") throw noAnswer(answer.end, target);
  throw new InputError(problemOf(answer, target, cwd));
}

function noAnswer(end: CommandEnd, target: string): Error {
  const how = {
    late: `no end after ${IMPORT_TIMEOUT_SEC} s; it waits for something while it is imported, such as a database: start that first`,
    ended: end.state === "ended" ? `Python ended with ${describeExit(end.exit)} while it imported the app` : "",
    unstarted: end.state === "unstarted" ? end.reason : "",
  };
  return new SetupError(`cannot import ${target}: ${how[end.state]}`, end.state === "unstarted" ? "" : end.log);
}

function problemOf(answer: Exclude<AppAnswer, Inspected>, target: string, folder: string): string {
  const [module = "", object] = target.split(":");
  const others =
    "callables" in answer && answer.callables.length > 0 ? `; ${module} has ${answer.callables.join(", ")}` : "";
  if (answer.state === "no-object")
    return `app ${target}: ${module} has no "${answer.name}"${others || "; --app MODULE:OBJECT names the app"}`;
  if (answer.state === "no-callable")
    return `app ${target}: ${object} is a ${answer.type}, not something that a server can call${others || "; --app MODULE:OBJECT names the app"}`;
  const remedy = missingRemedy(answer.missing, target) || firstOf([answer.error, answer.cause?.error ?? ""]);
  return `app ${target} does not import in ${folder}: ${importError(answer)}\n${lastLines(answer.traceback)}${remedy}`;
}

/** @param errors the one that was raised, and its first cause */
function firstOf(errors: readonly string[]): string {
  const remedies = errors.flatMap((error) => [variableRemedy(error), connectionRemedy(error)]);
  return remedies.find((remedy) => remedy !== "") ?? "";
}

function lastLines(text: string): string {
  const lines = text.trimEnd().split("\n");
  return lines
    .slice(-LAST_LINES)
    .map((line) => `  ${line}`)
    .join("\n");
}

function missingRemedy(missing: string | null, target: string): string {
  if (missing === null) return "";
  if (isTargetMissing(target, missing))
    return `\nThere is no module ${missing} in that folder; --app MODULE:OBJECT names the app as Python imports it.`;
  const name = missing.split(".")[0];
  // Part of setuptools until release 81; nothing on the package index has its name.
  if (name === "pkg_resources")
    return `\nsetuptools brings the module ${name} in releases before 81: add "setuptools<81" to the project's requirements, or give --requires "setuptools<81".`;
  return `\nThe requirement that brings the module ${name} is missing: add it to the project's requirements, or give --requires NAME.`;
}

/** What settings that need a variable raise: of os.environ, Django, pydantic-settings, python-decouple and environs. */
const VARIABLE_MISSING = [
  /^KeyError: '[A-Z][A-Z0-9_]*'/,
  /^(ImproperlyConfigured|ValidationError|SettingsError|UndefinedValueError|EnvError|EnvValidationError): /,
  /environment variable|env(ironment)? var\b/i,
];

/** @param error `KeyError: 'SECRET_KEY'` */
export function variableRemedy(error: string): string {
  if (!VARIABLE_MISSING.some((pattern) => pattern.test(error))) return "";
  const names = [...error.matchAll(MISSING_NAMES)].map(([, key, field = ""]) => key ?? field.toUpperCase());
  const options = (names.length === 0 ? ["NAME"] : names.slice(0, NAMED)).map((name) => `--env ${name}=VALUE`);
  const sets =
    names.length > 1 ? "sets them (they are written to servers.yml)" : "sets one (it is written to servers.yml)";
  return `\nThe app sees none of this shell's variables; ${options.join(" ")} ${sets}.`;
}

/** `KeyError: 'SECRET_KEY'`; pydantic has a line with the field before each reason. */
const MISSING_NAMES = /^KeyError: '([A-Z][A-Z0-9_]*)'|^(\w+)\n\s+Field required/gm;
const NAMED = 12;

/** What clients of databases and queues raise. */
const NO_CONNECTION =
  /connection ?refused|could not connect|can't connect|could not translate host|name or service not known|name resolution/i;

/** @param error `ConnectionRefusedError: [Errno 111] Connection refused` */
export function connectionRemedy(error: string): string {
  if (!NO_CONNECTION.test(error)) return "";
  return "\nThe app connects to another program while it is imported, such as a database. Start that program first, and name its address with --env NAME=VALUE. A run can start it for each side: docs/your-app.md of server-bench, A database.";
}
