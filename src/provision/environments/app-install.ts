/**
 * Installs an app as it is deployed, and the server beside it. What the app's lock, hashes or requirements say comes
 * before the pins of servers.yml: the user wants to know how fast the deployed versions are.
 */
import { writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { distributionOf } from "../../plan/requirements.js";
import type { AppInstall, EnvironmentSpec } from "../../plan/types.js";
import { ToolError } from "../tools/run-tool.js";
import { type InstalledPackages, listPackages } from "./list-packages.js";
import { exportLock, poetryArguments } from "./lock.js";
import { besideGiven, givenDistributions } from "./pins.js";
import { withoutPoetryLists } from "./poetry-list.js";
import { checkPython } from "./python-check.js";
import { readRequirements } from "./requirements-file.js";
import { localDistributions } from "./source-digest.js";
import { installFitting, pip, type UvRun } from "./uv-run.js";

interface InstallOptions {
  readonly onLine: (line: string) => void;
}

/** @throws ToolError; InstallError for a lock that cannot be used, and for a Python that the project refuses */
export async function installWithApp(run: UvRun, given: AppInstall, options: InstallOptions): Promise<void> {
  await checkPython(run, given);
  const install = await withoutPoetryLists(run, given);
  const exact = await exactArguments(run, install);
  const open = await openArguments(install);
  const { requires } = run.target.spec;
  if (
    exact.length === 0 &&
    (await fitsTogether(run, [...open.requirements, ...open.project, "--", ...requires], install, options))
  )
    return;
  for (const args of exact) await pipInstall(run, `installing what ${install.app} locks`, args, install, options);
  for (const args of [open.requirements, open.project])
    if (args.length > 0) await pipInstall(run, `installing ${install.app}`, args, install, options);
  await installServer(run, options);
}

/** One solution for app and server: then every pin of servers.yml holds. */
async function fitsTogether(
  run: UvRun,
  args: readonly string[],
  { folder }: AppInstall,
  { onLine }: InstallOptions,
): Promise<boolean> {
  // If this fails, the next attempt's output says what is wrong.
  const logFile = `${run.logFile.replace(/\.log$/, "")}-together.log`;
  try {
    await run.uv({ step: "installing", args: [...pip(run), ...args], cwd: folder, onLine, logFile });
    return true;
  } catch (error) {
    run.context.run.signal.throwIfAborted();
    // Whatever the reason: where it lies in the app alone, the next attempt fails too, and explains it.
    if (error instanceof ToolError && error.exitCode !== undefined) return false;
    throw error;
  }
}

/** For each file that names every distribution with its version: the arguments that install it. */
async function exactArguments(run: UvRun, install: AppInstall): Promise<(readonly string[])[]> {
  const { lock, requirements, folder, extras, groups } = install;
  const lists: (readonly string[])[] = [];
  const kind = lock && basename(lock.path);
  if (lock !== undefined && kind === "uv.lock") lists.push(["--no-deps", "-r", await exportLock(run, install, lock)]);
  else if (lock !== undefined && kind === "poetry.lock") lists.push(await poetryArguments(run, install, lock));
  else if (lock !== undefined) lists.push(["--no-deps", "-r", lock.path, ...partsOf(extras, groups)]);
  for (const { path } of requirements) if (await isHashed(path, folder)) lists.push(["--require-hashes", "-r", path]);
  return lists;
}

function partsOf(extras: readonly string[], groups: readonly string[]): string[] {
  return [...extras.flatMap((extra) => ["--extra", extra]), ...groups.flatMap((group) => ["--group", group])];
}

async function isHashed(path: string, folder: string): Promise<boolean> {
  return (await readRequirements(path, folder)).some(({ hashed }) => hashed);
}

interface OpenArguments {
  readonly requirements: readonly string[];
  readonly project: readonly string[];
}

/** What leaves versions open. A project beside a lock brings no dependencies: the lock has them. */
async function openArguments(install: AppInstall): Promise<OpenArguments> {
  const { requirements, folder, lock, project, extras, groups, editable } = install;
  const files: string[] = [];
  for (const { path } of requirements) if (!(await isHashed(path, folder))) files.push("-r", path);
  if (project === undefined) return { requirements: files, project: [] };
  const own = editable ? ["-e"] : [];
  if (lock !== undefined) return { requirements: files, project: ["--no-deps", ...own, project.path] };
  const parts = extras.length > 0 ? `[${extras.join(",")}]` : "";
  const grouped = groups.flatMap((group) => ["--group", `${join(project.path, "pyproject.toml")}:${group}`]);
  return { requirements: files, project: [...grouped, ...own, `${project.path}${parts}`] };
}

/** The server and what its knobs need, without changing what the app installed. */
async function installServer(run: UvRun, { onLine }: InstallOptions): Promise<void> {
  const { spec } = run.target;
  const overrides = join(run.context.run.tempDir, `${basename(run.target.folder)}-app.txt`);
  await writeFile(overrides, overridesFor(spec, await listPackages(run)));
  await installFitting(run, besideGiven(spec), (requires) => ({
    step: `installing ${spec.server} beside it`,
    args: [...pip(run), "--override", overrides, ...reinstalled(requires), "--", ...requires],
    onLine,
  }));
}

/** The installed versions of all distributions but those whose version the user gives. */
function overridesFor(spec: EnvironmentSpec, packages: InstalledPackages): string {
  const { requires } = spec;
  const given = givenDistributions(spec);
  return packages
    .filter(({ name }) => !given.has(distributionOf(name)))
    .map(({ name, version }) => `${name}${extrasOf(requires, name)}==${version}\n`)
    .join("");
}

/** An override replaces the whole requirement, with its extras. */
function extrasOf(requires: readonly string[], name: string): string {
  const requirement = requires.find((one) => distributionOf(one) === distributionOf(name));
  return /^[^[;@<>=!~]*(\[[^\]]*\])/.exec(requirement ?? "")?.[1] ?? "";
}

async function pipInstall(
  run: UvRun,
  step: string,
  args: readonly string[],
  { lock, folder }: AppInstall,
  { onLine }: InstallOptions,
): Promise<void> {
  const cwd = lock === undefined ? folder : dirname(lock.path);
  await run.uv({ step, args: [...pip(run), ...args], cwd, onLine });
}

/** Where the app brought the same distribution from an index. */
function reinstalled(requires: readonly string[]): string[] {
  return localDistributions(requires).flatMap((name) => ["--reinstall-package", name]);
}
