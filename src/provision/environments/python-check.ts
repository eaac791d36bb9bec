/** Whether the environment's Python is one that the app's project runs under. */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { acceptsPython, requiredPython } from "../../plan/python-requirement.js";
import type { AppInstall } from "../../plan/types.js";
import { InstallError } from "./install-error.js";
import type { UvRun } from "./uv-run.js";

/** @throws InstallError, before anything is downloaded; InputError for a pyproject.toml that is no TOML */
export async function checkPython(run: UvRun, install: AppInstall): Promise<void> {
  const { app, lock, project, folder } = install;
  const { version } = run.target.python;
  const path = join(project?.path ?? (lock ? dirname(lock.path) : folder), "pyproject.toml");
  const text = await readFile(path, "utf8").catch(() => undefined);
  const required = text === undefined ? undefined : requiredPython(text);
  if (required === undefined || acceptsPython(required.value, version)) return;
  throw new InstallError(
    {
      kind: "other",
      subject: `app ${app}`,
      fromCheckout: false,
      headline: `it runs under Python ${required.value} (${required.at}), and this is Python ${version}`,
      remedy: "name a Python that fits with `python:` of the app, or with --python",
    },
    "",
  );
}
