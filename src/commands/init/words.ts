/** What `init` prints of what it found. */
import type { ChosenRoute } from "../../init/choice.js";
import type { Dependencies } from "../../init/dependencies.js";
import { isLoginAddress } from "../../measure/server/login-address.js";
import type { Answer } from "../../measure/server/probe.js";
import { plural } from "../../messages/sentence.js";
import { shellLine } from "../../report/text/shell-line.js";
import type { Asked } from "./trial.js";

/** `app        shop.main:app (FastAPI, asgi), shop/main.py:12` */
export function foundLine(what: string, value: string, at: string): string {
  return `${what.padEnd(9)} ${value}${at === "" ? "" : `, ${at}`}`;
}

export function installLine({ source, requirements }: Dependencies): string {
  switch (source.kind) {
    case "none":
      return foundLine("install", "nothing: no file names requirements", "");
    case "lock":
      return foundLine("install", "the versions of the lock", source.file);
    case "project":
      // Nothing of setup.py is run before the installation.
      if (requirements.length === 0) return foundLine("install", "the project with what it requires", source.file);
      return foundLine("install", plural(requirements.length, "requirement"), source.file);
    case "requirements":
      return foundLine("install", plural(requirements.length, "requirement"), source.file);
  }
}

const PATH_WIDTH = 28;
const TYPE_WIDTH = 18;

/** One line for each page that was asked for. */
export function answerLines(asked: readonly Asked[], taken: readonly ChosenRoute[], framework: string): string[] {
  const names = new Set(taken.map(({ name }) => name));
  return asked.map((one) => {
    const page = `GET ${one.route.path}`.padEnd(PATH_WIDTH);
    if (one.state === "unanswered") return `  ${page} no answer: ${one.why}`;
    const { status, body, type = "" } = one.answer;
    const size = `${body.length.toLocaleString("en-US")} bytes`.padStart(14);
    const kind = (type.split(";")[0] ?? "").padEnd(TYPE_WIDTH);
    const refused = refusal(one.answer, framework);
    const measured = refused === undefined ? "measured" : `measured because it was named: ${refused}`;
    const why = names.has(one.route.name) ? measured : (refused ?? "");
    return `  ${page} ${status}  ${size}  ${kind} ${why}`.trimEnd();
  });
}

/** Why a page is not proposed. */
function refusal({ status, location }: Answer, framework: string): string | undefined {
  if (status >= 300 && status < 400) {
    const where = location === undefined ? "" : ` to ${location}`;
    return isLoginAddress(location ?? "") ? `wants a login: a redirect${where}` : `a redirect${where}`;
  }
  if (status === 401 || status === 403) return "wants a login";
  if (status === 404) return "not there";
  if (status === 405) return "not for GET";
  if (status === 400)
    return framework === "Django"
      ? "refused; Django's ALLOWED_HOSTS does this to a host that it does not list"
      : "wants something in the request";
  if (status >= 500) return "an error of the app";
  return undefined;
}

/** @param folder where the command runs, as it is typed; undefined for the current one */
export function tryLine(command: readonly string[], folder: string | undefined): string {
  const moved = folder === undefined ? "" : `${shellLine(["cd", folder])} && `;
  return `Try it:   ${moved}${shellLine(command)}`;
}
