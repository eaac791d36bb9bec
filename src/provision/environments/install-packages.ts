/** Makes a virtual environment with uv, installs requirements into it, and lists what was installed. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { duration } from "../../messages/duration.js";
import type { EnvironmentSpec } from "../../plan/types.js";
import { type ProvisionContext, secondsSince } from "../context.js";
import { mebibytes } from "../folder-size.js";
import { redact, ToolError } from "../tools/run-tool.js";
import type { Tool } from "../types.js";
import { installWithApp } from "./app-install.js";
import { cleanCopy } from "./clean-copy.js";
import { InstallError } from "./install-error.js";
import { installFailure } from "./install-failure.js";
import { keepLog } from "./keep-log.js";
import { type InstalledPackages, listPackages } from "./list-packages.js";
import { neededByOlder } from "./pins.js";
import type { EnvironmentTarget } from "./target.js";
import { installFitting, pip, type UvCall, type UvRun, uvRun } from "./uv-run.js";

const UPDATE_MS = 1000;

/** @throws InstallError where the requirements cannot be installed, and SetupError where uv itself fails */
export async function installPackages(
  context: ProvisionContext,
  target: EnvironmentTarget,
  uv: Tool,
  venv: string,
): Promise<InstalledPackages> {
  const { python, step } = target;
  await using copy = await cleanCopy(context, target);
  const { spec } = copy;
  const run = uvRun(context, target, uv, venv, copy);
  await run.uv({
    step: "making the environment",
    args: ["venv", "--no-project", "--python", python.executable, "--", venv],
  });
  using reporter = reportInstallation(context, step);
  const { onLine } = reporter;
  const install = async (): Promise<InstalledPackages> => {
    if (spec.install) await installWithApp(run, spec.install, { onLine });
    else await installFitting(run, spec.requires, (requires) => installing(run, requires, onLine));
    const packages = await listPackages(run);
    const needed = neededByOlder(spec, packages);
    if (needed.length === 0) return packages;
    await run.uv(installing(run, needed, onLine));
    return await listPackages(run);
  };
  return await install().catch(async (error: unknown) => {
    context.run.signal.throwIfAborted();
    // What was killed or could not be started says nothing about the requirements.
    const failed = error instanceof ToolError && error.exitCode !== undefined;
    throw failed ? await explained(context, target, copy.withUserPaths(await logText(run))) : error;
  });
}

function installing(run: UvRun, requires: readonly string[], onLine: (line: string) => void): UvCall {
  return { step: "installing", args: [...pip(run), "--", ...requires], onLine };
}

async function logText({ logFile }: UvRun): Promise<string> {
  return await readFile(logFile, "utf8").catch(() => "");
}

/** Keeps the log, and finds in it what went wrong. */
async function explained(context: ProvisionContext, target: EnvironmentTarget, output: string): Promise<InstallError> {
  const log = redact(stripVTControlCharacters(output));
  const logFile = await keepLog(context, target, log);
  const { spec } = target;
  const { failure, excerpt } = installFailure(log, { ...spec, ...(await appNames(spec)), logFile });
  return new InstallError(failure, excerpt);
}

/** How a failure names an app, and its project among the requirements. */
async function appNames({ server, requires, install }: EnvironmentSpec) {
  if (install === undefined) return { server, requires };
  const names = { server: `app ${install.app} with ${server}`, requires };
  if (install.project === undefined) return names;
  const text = await readFile(join(install.project.path, "pyproject.toml"), "utf8").catch(() => "");
  const name = /^name\s*=\s*["']([\w.-]+)["']/m.exec(text)?.[1] ?? install.app;
  return { ...names, requires: [...requires, `${name} @ ${pathToFileURL(install.project.path).href}`] };
}

const SIZE_UNITS: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** Reports every second what uv does: `4 s, 17.4 MiB to download, building bjoern`. */
function reportInstallation(context: ProvisionContext, step: string): Disposable & { onLine: (line: string) => void } {
  const started = performance.now();
  let bytes = 0;
  const building = new Set<string>();
  const timer = setInterval(() => {
    const parts = [duration(secondsSince(started))];
    if (bytes > 0) parts.push(`${mebibytes(bytes)} to download`);
    if (building.size > 0) parts.push(`building ${[...building].join(", ")}`);
    context.progress.update(step, parts.join(", "));
  }, UPDATE_MS);
  return {
    onLine: (line) => {
      const [, size, unit] = /^\s*Downloading \S+ \(([\d.]+)([KMG]iB)\)/.exec(line) ?? [];
      if (size !== undefined && unit !== undefined) bytes += Number(size) * (SIZE_UNITS[unit] ?? 0);
      const [, verb, name] = /^\s*(Building|Built) ([\w.-]+)/.exec(line) ?? [];
      if (name !== undefined) verb === "Building" ? building.add(name) : building.delete(name);
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}
