/** A uv.lock or poetry.lock -> a requirements file with versions and hashes, after a check that it is not stale. */
import { readFile, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { AppInstall, NamedPath } from "../../plan/types.js";
import { ToolError } from "../tools/run-tool.js";
import { InstallError } from "./install-error.js";
import { keepLog } from "./keep-log.js";
import { exportPoetryLock } from "./poetry-lock.js";
import type { UvRun } from "./uv-run.js";

/** The lock was made with the project's own indexes: others would make it look stale. */
const PROJECT_INDEXES = {
  UV_DEFAULT_INDEX: undefined,
  UV_INDEX_URL: undefined,
  UV_INDEX: undefined,
  UV_EXTRA_INDEX_URL: undefined,
  UV_FIND_LINKS: undefined,
  UV_NO_INDEX: undefined,
};

/**
 * Writes nothing into the checkout, and needs no network.
 * @returns the requirements file
 * @throws InstallError for a lock that is stale or cannot be read
 */
export async function exportLock(run: UvRun, install: AppInstall, lock: NamedPath): Promise<string> {
  const { extras, groups, editable } = install;
  await checkIsCurrent(run, install, lock);
  const output = join(run.context.run.tempDir, `${basename(run.target.folder)}-lock.txt`);
  const args = [
    ...["export", "--quiet", "--frozen", "--format", "requirements-txt", "--output-file", output],
    // The project itself is installed by `project`; `dev` is for those who work on it.
    ...["--no-default-groups", "--no-emit-project", "--no-header", "--no-annotate"],
    ...(editable ? [] : ["--no-editable"]),
    ...["--python", run.interpreter],
    ...extras.flatMap((extra) => ["--extra", extra]),
    ...groups.flatMap((group) => ["--group", group]),
  ];
  try {
    await run.uv({ step: `reading ${basename(lock.path)}`, args, cwd: dirname(lock.path) });
  } catch (error) {
    throw await failed(run, install, lock, error, "correct the lock, or what `install` asks of it");
  }
  return output;
}

/**
 * @returns arguments of `uv pip install`
 * @throws InstallError for a lock that is stale or cannot be used; InputError for one that is no TOML
 */
export async function poetryArguments(run: UvRun, install: AppInstall, lock: NamedPath): Promise<readonly string[]> {
  const folder = dirname(lock.path);
  const { extras, groups } = install;
  const read = await Promise.all([lock.path, join(folder, "pyproject.toml")].map((path) => readFile(path, "utf8")));
  const [text = "", pyproject = ""] = read;
  const result = exportPoetryLock({ folder, lock: text, pyproject, extras, groups });
  if (result.kind === "refused") {
    const { headline, remedy } = result;
    throw unusable(install, lock, { headline, remedy });
  }
  const output = join(run.context.run.tempDir, `${basename(run.target.folder)}-lock.txt`);
  await writeFile(output, result.text);
  return ["--no-deps", ...(result.hashed ? ["--require-hashes"] : []), "-r", output];
}

async function checkIsCurrent(run: UvRun, install: AppInstall, lock: NamedPath): Promise<void> {
  const args = ["lock", "--check", "--offline", "--python", run.interpreter];
  const logFile = `${run.logFile.replace(/\.log$/, "")}-check.log`;
  try {
    await run.uv({
      step: `checking ${basename(lock.path)}`,
      args,
      cwd: dirname(lock.path),
      env: PROJECT_INDEXES,
      logFile,
    });
  } catch (error) {
    if (!(error instanceof ToolError) || !isStale(error.log)) return run.context.run.signal.throwIfAborted();
    throw unusable(install, lock, {
      headline: `${basename(lock.path)} is stale: pyproject.toml asks for something else`,
      remedy: "run `uv lock` and commit the lock",
      log: error.log,
      logFile: await keepLog(run.context, run.target, error.log),
    });
  }
}

/** Offline, uv solves anew what the lock does not satisfy, and finds nothing. Where metadata has to be built, this cannot be seen. */
function isStale(log: string): boolean {
  if (/Failed to (?:build|prepare|resolve requirements)/i.test(log)) return false;
  return /needs to be updated|^error: No solution found|Unable to find lockfile/m.test(log);
}

async function failed(run: UvRun, install: AppInstall, lock: NamedPath, error: unknown, remedy: string) {
  run.context.run.signal.throwIfAborted();
  if (!(error instanceof ToolError) || error.exitCode === undefined) return error;
  const headline = error.log.replace(/^error: /, "").split("\n")[0] ?? "it cannot be read";
  const logFile = await keepLog(run.context, run.target, error.log);
  return unusable(install, lock, { headline, remedy, log: error.log, logFile });
}

interface Unusable {
  readonly headline: string;
  readonly remedy: string;
  /** Of uv, where it was run. */
  readonly log?: string;
  readonly logFile?: string;
}

function unusable({ app }: AppInstall, lock: NamedPath, { log = "", ...problem }: Unusable): InstallError {
  const failure = { kind: "other", subject: `app ${app}`, fromCheckout: false, location: lock.at } as const;
  return new InstallError({ ...failure, ...problem }, log);
}
