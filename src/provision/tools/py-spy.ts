/** py-spy, the sampler of profiles: from the package index, pinned by digest, in a folder of the cache that holds nothing else. */
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../../errors.js";
import { discard, removeLeftovers, temporarySibling } from "../cache/cache.js";
import { describeHolder, type LockHolder, lockPath, withLock } from "../cache/lock.js";
import { cachedBinary, publishBinary, refuseCached } from "../cache/programs.js";
import { openContext, type ProvisionContext, type ProvisionOptions, secondsSince } from "../context.js";
import { uvIndexVariables } from "../environments/pip-index.js";
import { defaultPython } from "../environments/python.js";
import type { Tool } from "../types.js";
import { printedVersion } from "./printed-version.js";
import { runTool } from "./run-tool.js";
import { provideUv } from "./uv.js";

const PY_SPY_VERSION = "0.4.3";
/** SHA-256 of that version's wheels for Linux as the package index serves them: x64 and arm64. */
const WHEELS = [
  "8a4277225f470d394a85cca0cdd944bef87f0097b6f20150a6dd3ac2e92806b8",
  "bbcec46930d464b3bfc142d6d02ade4dd8ad5627823263b3eff0280e80c7c132",
];
/** SHA-256 of the program in each of these wheels: what the cache holds is compared with them. */
const PROGRAMS = [
  "a41205d4925beafd108e1ace85e66c0a1a7adbfcbebcd4441f07848b608886c0",
  "ad6e22882e8dcaced4f0a76fef10d372645cc7b94c48a289ebe1bedb754774ed",
];
const STEP = `py-spy ${PY_SPY_VERSION}`;

/** Gives py-spy, and installs it with uv where the cache has none. @throws SetupError that says what to do */
export async function providePySpy(options: ProvisionOptions, digests: readonly string[] = PROGRAMS): Promise<Tool> {
  const context = await openContext(options);
  const folder = join(context.cache, "py-spy", `${PY_SPY_VERSION}-${process.platform}-${process.arch}`);
  const onWait = (holder: LockHolder): void =>
    context.progress.note(describeHolder(holder, `installs py-spy into ${folder}`));
  const lock = lockPath(context.cache, `py-spy-${basename(folder)}`);
  return await withLock(lock, { signal: context.run.signal, onWait }, async () => {
    const cached = await cachedBinary(context, { folder, name: "py-spy", digests });
    if (cached?.pinned) {
      context.progress.finished(STEP, { seconds: 0, detail: cached.tool.path, reused: true });
      return cached.tool;
    }
    const refusal = `it is not the program of py-spy ${PY_SPY_VERSION}'s wheels`;
    if (cached) await refuseCached(context, cached.tool.path, folder, refusal);
    return await install(context, folder);
  });
}

async function install(context: ProvisionContext, folder: string): Promise<Tool> {
  const started = performance.now();
  context.progress.started(STEP);
  await mkdir(dirname(folder), { recursive: true });
  await removeLeftovers(folder);
  const staging = temporarySibling(folder);
  try {
    await installWheel(context, staging);
    const tool = await publishBinary(join(staging, "bin", "py-spy"), folder, {
      name: "py-spy",
      version: PY_SPY_VERSION,
      origin: `uv pip install py-spy==${PY_SPY_VERSION}`,
      check: async (path) => void (await printedVersion(context, "py-spy", path)),
    });
    context.progress.finished(STEP, { seconds: secondsSince(started), detail: tool.path, reused: false });
    return tool;
  } catch (error) {
    context.run.signal.throwIfAborted();
    context.progress.failed(STEP, messageOf(error));
    throw error;
  } finally {
    await discard(staging);
  }
}

async function installWheel(context: ProvisionContext, target: string): Promise<void> {
  const uv = await provideUv(context);
  const python = await defaultPython(context);
  await mkdir(context.run.tempDir, { recursive: true });
  const requirements = join(context.run.tempDir, "py-spy-requirements.txt");
  const hashes = WHEELS.map((sha256) => ` --hash=sha256:${sha256}`).join("");
  await writeFile(requirements, `py-spy==${PY_SPY_VERSION}${hashes}\n`);
  await runTool(context, {
    step: `installing ${STEP}`,
    command: [
      uv.path,
      ...["pip", "install", "--no-deps", "--only-binary", ":all:", "--require-hashes"],
      ...["--python", python.executable, "--target", target, "--requirement", requirements],
    ],
    env: { ...uvIndexVariables(context.env), UV_LINK_MODE: "copy", NO_COLOR: "1" },
    remedy,
  });
}

function remedy(log: string): string {
  if (/hash mismatch/i.test(log)) return `the index serves another py-spy ${PY_SPY_VERSION}: check the index`;
  if (/no wheels|no matching|not found|no solution/i.test(log))
    return `the index has no py-spy ${PY_SPY_VERSION} for this machine: check the index (PIP_INDEX_URL); x64 and arm64 are supported`;
  return "check the network and the index (PIP_INDEX_URL)";
}
