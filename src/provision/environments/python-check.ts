/** The Python that projects run under: what they say of it, and whether an environment's Python is one. */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { acceptsPython, requiredPython } from "../../plan/python-requirement.js";
import type { Found } from "../../plan/text-places.js";
import type { AppInstall, EnvironmentSpec } from "../../plan/types.js";
import { InstallError } from "./install-error.js";
import { stepToAdd } from "./python.js";
import { localPaths } from "./source-digest.js";
import type { UvRun } from "./uv-run.js";

/** What the projects that an environment is made of say of their Python. */
export async function requiredPythons({ install, requires }: EnvironmentSpec): Promise<string[]> {
  const folders = [...(install ? [projectOf(install)] : []), ...localPaths(requires)];
  // A pyproject.toml that cannot be read fails where it is installed.
  const found = await Promise.all(folders.map((folder) => requiredIn(folder).catch(() => undefined)));
  return found.flatMap((one) => one?.value ?? []);
}

function projectOf({ lock, project, folder }: AppInstall): string {
  return project?.path ?? (lock ? dirname(lock.path) : folder);
}

async function requiredIn(folder: string): Promise<Found<string> | undefined> {
  const text = await readFile(join(folder, "pyproject.toml"), "utf8").catch(() => undefined);
  return text === undefined ? undefined : requiredPython(text);
}

/** @throws InstallError, before anything is downloaded; InputError for a pyproject.toml that is no TOML */
export async function checkPython(run: UvRun, install: AppInstall): Promise<void> {
  const { app } = install;
  const { version } = run.target.python;
  const required = await requiredIn(projectOf(install));
  if (required === undefined || acceptsPython(required.value, version)) return;
  throw new InstallError(
    {
      kind: "other",
      subject: `app ${app}`,
      fromCheckout: false,
      headline: `it runs under Python ${required.value} (${required.at}), and this is Python ${version}`,
      remedy: `name a Python that fits with \`python:\` of the app, or with --python; ${stepToAdd([required.value])}`,
    },
    "",
  );
}
