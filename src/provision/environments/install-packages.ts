/** Makes a virtual environment with uv, installs requirements into it, and lists what came. */

import { join } from "node:path";
import * as v from "valibot";
import { SetupError } from "../../errors.js";
import { messageOf } from "../cache/cache.js";
import { type ProvisionContext, secondsSince } from "../context.js";
import { duration, mebibytes } from "../folder-size.js";
import { runTool, type ToolCommand } from "../tools/run-tool.js";
import type { Tool } from "../types.js";
import { uvIndexVariables } from "./pip-index.js";
import { localDistributions } from "./source-digest.js";
import type { EnvironmentTarget } from "./target.js";

const UPDATE_MS = 1000;
const listSchema = v.array(v.object({ name: v.string(), version: v.string() }));
export type InstalledPackages = v.InferOutput<typeof listSchema>;

/** @throws SetupError with step, command, exit code and way out. */
export async function installPackages(
  context: ProvisionContext,
  { spec, python, step }: EnvironmentTarget,
  uv: Tool,
  venv: string,
): Promise<InstalledPackages> {
  const run = (tool: Omit<ToolCommand, "env">): Promise<string> =>
    // A file that is shared with uv's cache could be changed there, and in other environments.
    runTool(context, { ...tool, env: { ...uvIndexVariables(context.env), UV_LINK_MODE: "copy" } });
  await run({
    step: `${step}: making the environment`,
    command: [uv.path, "venv", "--no-project", "--python", python.executable, "--", venv],
    wayOut: () => "see the last lines of its output",
  });
  const interpreter = join(venv, "bin", "python");
  using reporter = reportInstallation(context, step);
  await run({
    step: `${step}: installing`,
    command: [
      uv.path,
      "pip",
      "install",
      "--compile-bytecode",
      "--python",
      interpreter,
      ...rebuilt(spec.requires),
      "--",
      ...spec.requires,
    ],
    wayOut: (log) => installWayOut(log, spec.server, spec.systemPackages),
    onLine: reporter.onLine,
  });
  const listing = await run({
    step: `${step}: listing`,
    command: [uv.path, "pip", "list", "--format", "json", "--python", interpreter],
    wayOut: () => "see the last lines of its output",
  });
  try {
    return v.parse(listSchema, JSON.parse(listing));
  } catch (error) {
    throw new SetupError(`${step}: uv pip list gave an unexpected answer: ${messageOf(error)}`, listing.slice(0, 2000));
  }
}

/** uv looks at pyproject.toml alone to tell whether a checkout has changed. */
function rebuilt(requires: readonly string[]): string[] {
  return localDistributions(requires).flatMap((name) => ["--refresh-package", name, "--reinstall-package", name]);
}

const SIZE_UNITS: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 };

/** Tells every second what uv is at: `4 s, 17.4 MiB to download, building bjoern`. */
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

/** What can be done about a failed installation, from what uv says of it. */
export function installWayOut(log: string, server: string, systemPackages: readonly string[]): string {
  if (/no solution found|not found in the package registry|no version of/i.test(log))
    return `correct the requirements of ${server}, or check the index that is asked`;
  if (/401 unauthorized|403 forbidden/i.test(log))
    return "the index asks for credentials: put them into ~/.netrc; those of variables are not given to installers, whose build code could read them";
  if (/failed to fetch|dns error|error sending request|connection refused|timed out/i.test(log))
    return "check the network and the package index (PIP_INDEX_URL or UV_DEFAULT_INDEX)";
  if (/no space left on device/i.test(log)) return "free space, or set SERVER_BENCH_CACHE to another disk's folder";
  if (systemPackages.length > 0) return `${server} needs Debian packages: apt-get install ${systemPackages.join(" ")}`;
  if (/failed to build|fatal error:|command .*gcc.* failed|no such file or directory: '(cc|gcc|clang)'/i.test(log))
    return "a compiler or a header is missing: apt-get install build-essential python3-dev, and what the last lines name";
  return "see the last lines of its output";
}
