/** One Python environment: reused when it is there, else built with uv. */

import { randomBytes } from "node:crypto";
import { mkdir, readdir, rmdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { messageOf, SetupError } from "../../errors.js";
import type { EnvironmentSpec } from "../../plan/types.js";
import { discard } from "../cache/cache.js";
import { describeHolder, type LockHolder, lockPath, withLock } from "../cache/lock.js";
import { type ProvisionContext, secondsSince } from "../context.js";
import { folderBytes, mebibytes } from "../folder-size.js";
import type { EnvironmentState, ReadyEnvironment, Tool } from "../types.js";
import { contentDigest } from "./content-digest.js";
import { InstallError, installPackages } from "./install-packages.js";
import { canonical, normalizedRequires, shortHash } from "./key.js";
import { type EnvironmentManifest, MANIFEST_FORMAT, readManifest, writeManifest } from "./manifest.js";
import type { Python } from "./python.js";
import { placelessRequires, sourceDigest } from "./source-digest.js";
import type { EnvironmentTarget } from "./target.js";

/** @throws SetupError for a local requirement that is not there */
export async function environmentTarget(
  context: ProvisionContext,
  spec: EnvironmentSpec,
  python: Python,
): Promise<EnvironmentTarget> {
  const { executable, version } = python;
  const source = await sourceDigest(spec.requires);
  const requires = placelessRequires(normalizedRequires(spec));
  const hash = shortHash([MANIFEST_FORMAT, spec.server, requires, executable, version, source]);
  const folder = join(context.cache, "environments", `${spec.server}-py${version}-${hash}`);
  return { spec, python, folder, step: `${spec.server} (Python ${version})` };
}

/**
 * The environment, when it is there and its files are the ones that were installed; nothing of it is run. This finds
 * what a server, an app or a user left in it. It does not stop a program of the same user that changes the manifest too.
 * @param onChanged called where files are not the ones that were installed
 */
export async function reuseEnvironment(
  target: EnvironmentTarget,
  onChanged?: () => void,
): Promise<ReadyEnvironment | undefined> {
  const manifest = await readManifest(target.folder);
  if (manifest === undefined) return undefined;
  const digest = await contentDigest(join(target.folder, manifest.venv)).catch(() => undefined);
  if (digest !== manifest.contentDigest) {
    onChanged?.();
    return undefined;
  }
  const version = versionIn(manifest.packages, target.spec.distribution);
  return version === undefined ? undefined : readyState(target, manifest, version);
}

/**
 * Builds the environment. A requirement that cannot be installed is a failed environment.
 * @throws the reason of the run's signal, and the file system's errors.
 */
export async function buildEnvironment(
  context: ProvisionContext,
  target: EnvironmentTarget,
  uv: Tool,
): Promise<EnvironmentState> {
  const { folder, step } = target;
  const onWait = (holder: LockHolder): void => context.progress.note(describeHolder(holder, `builds ${folder}`));
  return withLock(lockPath(context.cache, basename(folder)), { signal: context.run.signal, onWait }, async () => {
    const built = await reuseEnvironment(target, () =>
      context.progress.note(`${step}: its files are not the ones that were installed; building it again`),
    );
    if (built !== undefined) {
      context.progress.finished(step, { seconds: 0, detail: detailOf(target, built), reused: true });
      return built;
    }
    const started = performance.now();
    context.progress.started(step);
    try {
      const { manifest, version } = await build(context, target, uv);
      const state = readyState(target, manifest, version);
      const detail = `${detailOf(target, state)}, ${mebibytes(manifest.sizeBytes)}`;
      context.progress.finished(step, { seconds: secondsSince(started), detail, reused: false });
      return state;
    } catch (error) {
      context.run.signal.throwIfAborted();
      if (!(error instanceof SetupError)) throw error;
      context.progress.failed(step, error.message);
      const failure = error instanceof InstallError ? { failure: error.failure } : {};
      return { state: "failed", reason: error.message, log: error.log, ...failure };
    }
  });
}

/** Says what an environment holds: `uvicorn 0.54.0, uvloop 0.23.0`. One server may have several environments; the other packages show which one it is. */
export function detailOf({ spec }: EnvironmentTarget, state: ReadyEnvironment): string {
  const others = normalizedRequires(spec).flatMap((requirement) => {
    const [, name, version] = /^([\w.-]+)==(\S+)$/.exec(requirement) ?? [];
    return name === undefined || canonical(name) === canonical(spec.distribution) ? [] : [`${name} ${version}`];
  });
  return [`${spec.distribution} ${state.version}`, ...others].join(", ");
}

/**
 * The virtual environment gets a new name with every build: its programs hold its path, and an installer that outlived a
 * killed run may still write into an older one. The manifest, written last, says which one counts.
 */
async function build(
  context: ProvisionContext,
  target: EnvironmentTarget,
  uv: Tool,
): Promise<{ readonly manifest: EnvironmentManifest; readonly version: string }> {
  const { folder, python, spec } = target;
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(folder)) await discard(join(folder, name));
  const venv = `venv-${randomBytes(4).toString("hex")}`;
  try {
    const packages = await installPackages(context, target, uv, join(folder, venv));
    const version = versionIn(packages, spec.distribution);
    if (version === undefined) throw noDistribution(spec, packages);
    const manifest: EnvironmentManifest = {
      format: MANIFEST_FORMAT,
      server: spec.server,
      requires: [...normalizedRequires(spec)],
      python: { executable: python.executable, version: python.version },
      venv,
      packages,
      sizeBytes: await folderBytes(join(folder, venv)),
      contentDigest: await contentDigest(join(folder, venv)),
    };
    await writeManifest(folder, manifest);
    return { manifest, version };
  } catch (error) {
    await discard(join(folder, venv));
    await rmdir(folder).catch(() => undefined);
    throw error instanceof SetupError ? error : new Error(`${folder}: ${messageOf(error)}`, { cause: error });
  }
}

function readyState(
  { folder, python }: EnvironmentTarget,
  manifest: EnvironmentManifest,
  version: string,
): ReadyEnvironment {
  const packages = manifest.packages.map((entry) => `${entry.name}==${entry.version}`).sort();
  return {
    state: "ready",
    binDir: join(folder, manifest.venv, "bin"),
    pythonVersion: python.version,
    version,
    packages,
  };
}

function versionIn(packages: EnvironmentManifest["packages"], distribution: string): string | undefined {
  return packages.find(({ name }) => canonical(name) === canonical(distribution))?.version;
}

function noDistribution(
  { server, distribution }: EnvironmentSpec,
  packages: EnvironmentManifest["packages"],
): SetupError {
  return new SetupError(
    `${server}: its distribution ${distribution} is not among what was installed (` +
      `${packages.map(({ name }) => name).join(", ")}): correct \`distribution\` or \`requires\` of this server in servers.yml`,
  );
}
