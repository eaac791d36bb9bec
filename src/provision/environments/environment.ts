/** One Python environment: reused when it is there, else built with uv. */

import { randomBytes } from "node:crypto";
import { mkdir, rmdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { messageOf, SetupError } from "../../errors.js";
import { isWithin } from "../../is-within.js";
import { nameSome } from "../../messages/sentence.js";
import { missingFile } from "../../plan/app-files.js";
import { canonical } from "../../plan/distribution-name.js";
import { distributionOf } from "../../plan/requirements.js";
import type { EnvironmentSpec } from "../../plan/types.js";
import { discard } from "../cache/cache.js";
import { describeHolder, type LockHolder, lockPath, withLock } from "../cache/lock.js";
import { type ProvisionContext, secondsSince } from "../context.js";
import { folderBytes, mebibytes } from "../folder-size.js";
import type { EnvironmentState, ReadyEnvironment, Tool } from "../types.js";
import { appDigest } from "./app-digest.js";
import { contentDigest } from "./content-digest.js";
import { commitsOf, withCommits } from "./git-commits.js";
import { InstallError } from "./install-error.js";
import { installPackages } from "./install-packages.js";
import { contentKey, normalizedRequires, shortHash } from "./key.js";
import { localPackages } from "./local-packages.js";
import { type EnvironmentManifest, MANIFEST_FORMAT, readManifest, writeManifest } from "./manifest.js";
import type { Python } from "./python.js";
import { replacedPins } from "./replaced.js";
import { localPaths, sourceDigest } from "./source-digest.js";
import type { EnvironmentTarget } from "./target.js";
import { clearForBuild } from "./use-marks.js";

/** @throws SetupError for a local requirement that is not there; GitReferenceError for a branch whose commit is unknown */
export async function environmentTarget(
  context: ProvisionContext,
  given: EnvironmentSpec,
  python: Python,
): Promise<EnvironmentTarget> {
  const { executable, version } = python;
  const spec = await withCommits(context, given);
  const source = await sourceDigest(spec.requires, spec.scenarios);
  const app = await appPart(context, spec);
  const hash = shortHash([MANIFEST_FORMAT, contentKey(spec), executable, version, source, ...app.key]);
  const folder = join(environmentsFolder(context, app), `${canonical(spec.distribution)}-py${version}-${hash}`);
  return {
    spec,
    python,
    folder,
    step: `${named(spec)} (Python ${version})`,
    editable: app.boundTo !== undefined,
    sources: { server: localPaths(spec.requires), app: app.local },
  };
}

/** `granian, uvloop`: two environments of one server differ by what is installed beside it. */
function named({ server, distribution, requires, install }: EnvironmentSpec): string {
  const own = canonical(distribution);
  const beside = [...new Set(requires.map(distributionOf))].filter((name) => name !== own && name !== "").sort();
  const names = nameSome([server, ...beside], 4);
  return install === undefined ? names : `${names} with ${install.app}`;
}

interface AppPart {
  /** What the app's own files add to an environment's name. */
  readonly key: readonly string[];
  /** The folder whose path the environment holds, because something is installed editable from there. */
  readonly boundTo?: string;
  readonly local: readonly string[];
}

async function appPart(
  context: ProvisionContext,
  { install, scenarios, chosen = [] }: EnvironmentSpec,
): Promise<AppPart> {
  if (install === undefined) return { key: [], local: [] };
  const problem = missingFile(install);
  if (problem !== undefined) throw new SetupError(`app ${install.app} cannot be installed: ${problem}`);
  const { digest, boundToFolder, local, git } = await appDigest(install, scenarios);
  // A branch moves: the files stay the same, and mean other code.
  const key = [digest, ...chosen, ...(await commitsOf(context, git, `app ${install.app}`))];
  if (!boundToFolder) return { key, local };
  return { key: [...key, install.folder], boundTo: install.folder, local };
}

/** What holds the path of base's checkout goes with it: no later run has that folder. */
function environmentsFolder({ cache, run }: ProvisionContext, { boundTo }: AppPart): string {
  const temporary = boundTo !== undefined && isWithin(run.tempDir, boundTo);
  return join(temporary ? run.tempDir : cache, "environments");
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
  return version === undefined ? undefined : await readyState(target, manifest, version);
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
      const state = await readyState(target, manifest, version);
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
  const installed = new Map((state.replaced ?? []).map((pin) => [canonical(pin.name), pin.installed]));
  const others = normalizedRequires(spec).flatMap((requirement) => {
    const [, name, version] = /^([\w.-]+)==(\S+)$/.exec(requirement) ?? [];
    if (name === undefined || canonical(name) === canonical(spec.distribution)) return [];
    return [`${name} ${installed.get(canonical(name)) ?? version}`];
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
  await clearForBuild(folder);
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

async function readyState(
  { folder, python, spec }: EnvironmentTarget,
  manifest: EnvironmentManifest,
  version: string,
): Promise<ReadyEnvironment> {
  const packages = manifest.packages.map((entry) => `${entry.name}==${entry.version}`).sort();
  const local = await localPackages(join(folder, manifest.venv));
  const replaced = replacedPins(spec, manifest.packages);
  return {
    state: "ready",
    binDir: join(folder, manifest.venv, "bin"),
    pythonVersion: python.version,
    version,
    packages,
    ...(local.length > 0 && { local }),
    ...(replaced.length > 0 && { replaced }),
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
