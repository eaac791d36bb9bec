/** An app of servers.yml -> what is installed for it, and what is done before its server starts. */
import { resolve } from "node:path";
import { InputError } from "../errors.js";
import type { LocatedEntry } from "./load.js";
import { unknownName } from "./nearest.js";
import { DATA_VARIABLE, placeholdersIn, servicePrefix } from "./prepared-variables.js";
import type { AppEntry, InstallEntry, ServiceEntry } from "./schema.js";
import type { Key } from "./source.js";
import type { AppInstall, NamedPath, PlannedPreparation, PlannedService, ReadyCheck } from "./types.js";

type App = LocatedEntry<AppEntry>;

/** Folder that the app is started in. */
export function appFolder({ folder, value }: App): string {
  return resolve(folder, value.path);
}

/** @throws InputError for fields that have no meaning together */
export function plannedInstall(name: string, app: App): AppInstall | undefined {
  const { install } = app.value;
  if (install === undefined) return undefined;
  checkTogether(install, app);
  const folder = appFolder(app);
  const named = (path: string, ...field: readonly Key[]): NamedPath => ({
    path: resolve(folder, path),
    at: app.locate(["install", ...field]),
  });
  const { lock, project, requirements = [], extras, groups, editable } = install;
  return {
    app: name,
    folder,
    extras,
    groups,
    editable,
    requirements: requirements.map((path, index) => named(path, "requirements", index)),
    ...(lock !== undefined && { lock: named(lock, "lock") }),
    ...(project !== undefined && { project: named(project, "project") }),
  };
}

function checkTogether({ lock, project, requirements, extras, groups, editable }: InstallEntry, app: App): void {
  const refuse = (field: Key, problem: string): never => {
    throw new InputError(`${app.locate(["install", field])}: ${problem}`);
  };
  if (lock === undefined && project === undefined) {
    if (extras.length > 0) refuse("extras", "extras belong to a lock or a project: add one of them");
    if (groups.length > 0) refuse("groups", "dependency groups belong to a lock or a project: add one of them");
    if (requirements === undefined)
      throw new InputError(`${app.locate(["install"])}: names nothing to install: give requirements, lock or project`);
  }
  if (editable && project === undefined) refuse("editable", "only a project is installed editable: add project");
}

/** @param texts of the row and its server, which can use what is prepared too @throws InputError for an unknown service */
export function plannedPreparation(
  app: App,
  services: ReadonlyMap<string, LocatedEntry<ServiceEntry>>,
  texts: readonly string[] = [],
): PlannedPreparation | undefined {
  const { before, services: names, env } = app.value;
  const used = checkPlaceholders(env, names, app) || texts.some((text) => placeholdersIn(text).length > 0);
  if (before.length === 0 && names.length === 0 && !used) return undefined;
  return {
    services: names.map((name, index) => {
      const entry = services.get(name);
      if (entry) return plannedService(name, entry);
      throw new InputError(`${app.locate(["services", index])}: ${unknownName("service", name, [...services.keys()])}`);
    }),
    before,
    beforeAt: app.locate(["before"]),
    beforeTimeoutSec: app.value["before-timeout"],
  };
}

/** @returns whether variables use what is known only when the row is prepared */
function checkPlaceholders(env: AppEntry["env"], services: readonly string[], app: App): boolean {
  const known = [
    DATA_VARIABLE,
    ...services.flatMap((name) => [`${servicePrefix(name)}_HOST`, `${servicePrefix(name)}_PORT`]),
  ];
  const used = Object.entries(env).flatMap(([variable, text]) =>
    placeholdersIn(text).map((placeholder) => ({ variable, placeholder })),
  );
  for (const { variable, placeholder } of used)
    if (!known.includes(placeholder))
      throw new InputError(`${app.locate(["env", variable])}: ${unknownName("placeholder", placeholder, known)}`);
  return used.length > 0;
}

function plannedService(name: string, { value, folder, at }: LocatedEntry<ServiceEntry>): PlannedService {
  const { command, env, ready, timeout } = value;
  return { name, command, folder, env, at, ready: readyCheck(ready), timeoutSec: timeout };
}

function readyCheck(ready: ServiceEntry["ready"]): ReadyCheck {
  if ("http" in ready) return { kind: "http", path: ready.http };
  if ("command" in ready) return { kind: "command", command: ready.command };
  return { kind: "port" };
}
