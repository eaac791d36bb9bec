/** Makes a virtual environment with uv, installs requirements into it, and lists what was installed. */

import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import * as v from "valibot";
import { duration } from "../../duration.js";
import { messageOf, SetupError } from "../../errors.js";
import { type ProvisionContext, secondsSince } from "../context.js";
import { describeFailure } from "../failure-text.js";
import { mebibytes } from "../folder-size.js";
import { redact, runTool, type ToolCommand, ToolError } from "../tools/run-tool.js";
import type { InstallFailure, Tool } from "../types.js";
import { installFailure } from "./install-failure.js";
import { uvIndexVariables } from "./pip-index.js";
import { localDistributions } from "./source-digest.js";
import type { EnvironmentTarget } from "./target.js";

const UPDATE_MS = 1000;
/**
 * uv links files from its cache: whoever writes into one environment would change the cache, and with it every other
 * environment (base's, too). Bytecode that a server's first start would write belongs to what is checked later.
 */
const OWN_FILES = { UV_LINK_MODE: "copy", UV_COMPILE_BYTECODE: "1" };
const listSchema = v.array(v.object({ name: v.string(), version: v.string() }));
export type InstalledPackages = v.InferOutput<typeof listSchema>;

/** @throws InstallError where the requirements cannot be installed, and SetupError where uv itself fails */
export async function installPackages(
  context: ProvisionContext,
  target: EnvironmentTarget,
  uv: Tool,
  venv: string,
): Promise<InstalledPackages> {
  const { spec, python, step, folder } = target;
  const logFile = join(context.run.tempDir, `${basename(folder)}.log`);
  const run = (tool: Omit<ToolCommand, "env" | "remedy" | "logFile">): Promise<string> =>
    runTool(context, {
      ...tool,
      logFile,
      env: { ...uvIndexVariables(context.env), ...OWN_FILES, NO_COLOR: "1" },
      remedy: () => "see the last lines of its output",
    });
  await run({
    step: `${step}: making the environment`,
    command: [uv.path, "venv", "--no-project", "--python", python.executable, "--", venv],
  });
  const interpreter = join(venv, "bin", "python");
  using reporter = reportInstallation(context, step);
  await run({
    step: `${step}: installing`,
    command: [uv.path, "pip", "install", "--python", interpreter, ...rebuilt(spec.requires), "--", ...spec.requires],
    onLine: reporter.onLine,
  }).catch(async (error: unknown) => {
    context.run.signal.throwIfAborted();
    // What was killed or could not be started says nothing about the requirements.
    const failed = error instanceof ToolError && error.exitCode !== undefined;
    throw failed ? await explained(context, target, logFile) : error;
  });
  const listing = await run({
    step: `${step}: listing`,
    command: [uv.path, "pip", "list", "--format", "json", "--python", interpreter],
  });
  try {
    return v.parse(listSchema, JSON.parse(listing));
  } catch (error) {
    throw new SetupError(`${step}: uv pip list gave an unexpected answer: ${messageOf(error)}`, listing.slice(0, 2000));
  }
}

/** An installation that failed, with what is known of it. */
export class InstallError extends SetupError {
  readonly failure: InstallFailure;
  constructor(failure: InstallFailure, excerpt: string) {
    super(describeFailure(failure), excerpt);
    this.failure = failure;
  }
}

/** Keeps the log, and finds in it what went wrong. */
async function explained(
  { cache, logDir = join(cache, "logs") }: ProvisionContext,
  { spec, folder }: EnvironmentTarget,
  output: string,
): Promise<InstallError> {
  const log = redact(stripVTControlCharacters(await readFile(output, "utf8").catch(() => "")));
  const logFile = join(logDir, `${basename(folder)}.log`);
  await mkdir(logDir, { recursive: true });
  await writeFile(logFile, log);
  const { failure, excerpt } = installFailure(log, { ...spec, logFile });
  return new InstallError(failure, excerpt);
}

/** uv looks at pyproject.toml alone to tell whether a checkout has changed. */
function rebuilt(requires: readonly string[]): string[] {
  return localDistributions(requires).flatMap((name) => ["--refresh-package", name, "--reinstall-package", name]);
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
