/** uv, which makes the environments: from PATH, the cache, or the package index with pip. */
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf, SetupError } from "../../errors.js";
import { discard, removeLeftovers, temporarySibling } from "../cache/cache.js";
import { describeHolder, type LockHolder, lockPath, withLock } from "../cache/lock.js";
import { cachedBinary, publishBinary, refuseCached } from "../cache/programs.js";
import { type ProvisionContext, secondsSince } from "../context.js";
import { folderBytes, mebibytes } from "../folder-size.js";
import type { Tool } from "../types.js";
import { findOnPath } from "./find-on-path.js";
import { installedPython } from "./installed-pythons.js";
import { printedVersion } from "./printed-version.js";
import { runTool } from "./run-tool.js";
import { isAtLeast } from "./version.js";

/** The first with `uv pip install --no-editable` (astral-sh/uv#19306). */
const UV_MINIMUM = "0.11.12";
const UV_VERSION = "0.13.8";
/** SHA-256 of that version's wheels as the package index serves them: Linux (glibc, musl) and macOS, x64 and arm64. */
const UV_WHEELS = [
  "e18a57b8b352eb7c8feb317b9f6f533c8f0ad9673fd6cf34bbe3cf1a9f6a8984",
  "29451c60f5e8b07403e0a175d5229efc36b0289b34143ff4aaa499a5dd52553a",
  "5337c30bb893b4f9ce0ceb921ba2da0d13f649da644f40ad3bef84083bef0203",
  "0b3e8b1a4f5e405e31e2ff33de8af4744831e9f7338539671efbd8c3c94e791d",
  "b7124ca1956ec2e476a1003ea5715a15f0266afaec37f4dc9c6972ba8183e6d1",
  "62b6943c7fd64fac6854f780bea6e0359e5a5bc3241f83ee357bb38276afac49",
];
/** SHA-256 of the program `uv` in each of these wheels: what the cache holds is compared with them. */
const UV_PROGRAMS = [
  "4a7607589912d9c20e86b860b032f7c7f2913c9a3e76f46aef136885387452b8",
  "a880db7f5f6745b5ec80aa6ccafdce06ddab1434013b55c62bb2fded1e2f9cb5",
  "71a9af4238e9e139a3c185e0a010edd293e9ced3fc158bb544725b3d28d58b29",
  "5aa4427bd923cfdca2d56a3577f60d8fa7825aa3b496fef975dfd6f03db57d28",
  "afdbf4b93ab474668f8ad99da2fb7fb6562c020a4bbd860e9b1909181498b1b6",
  "f98066c132dc37b83a8861f9b538d732b5aad41d3b3a69e47abf27cdaef842a9",
];
const STEP = `uv ${UV_VERSION}`;
const ELSEWHERE = "or put uv on PATH (https://docs.astral.sh/uv/getting-started/installation/)";

/** Where uv is already, without installing it: on PATH and new enough. */
export async function uvOnPath(context: ProvisionContext): Promise<Tool | undefined> {
  const path = await findOnPath("uv", context.env);
  if (path === undefined) return undefined;
  try {
    const version = await printedVersion(context, "uv", path);
    if (isAtLeast(version, UV_MINIMUM)) return { path, version };
    context.progress.note(
      `${path} is uv ${version}, older than ${UV_MINIMUM}; using ${UV_VERSION} from the cache instead`,
    );
  } catch (error) {
    context.run.signal.throwIfAborted();
    context.progress.note(`${path} is not used: ${messageOf(error)}`);
  }
  return undefined;
}

/** Gives a uv, and installs it into the cache where PATH has none. @throws SetupError that says what to do. */
export async function provideUv(context: ProvisionContext, digests: readonly string[] = UV_PROGRAMS): Promise<Tool> {
  const installed = await uvOnPath(context);
  if (installed !== undefined) return installed;
  const folder = join(context.cache, "uv", `${UV_VERSION}-${process.platform}-${process.arch}`);
  const onWait = (holder: LockHolder): void =>
    context.progress.note(describeHolder(holder, `installs uv into ${folder}`));
  return withLock(
    lockPath(context.cache, `uv-${basename(folder)}`),
    { signal: context.run.signal, onWait },
    async () => {
      const cached = await cachedBinary(context, { folder, name: "uv", digests });
      if (cached?.pinned) return cached.tool;
      if (cached !== undefined)
        await refuseCached(context, cached.tool.path, folder, `it is not the program of uv ${UV_VERSION}'s wheels`);
      return installUv(context, folder);
    },
  );
}

async function installUv(context: ProvisionContext, folder: string): Promise<Tool> {
  const python = (await findOnPath("python3", context.env)) ?? (await installedPython(context.env, () => true));
  if (python === undefined)
    throw new SetupError(
      `uv makes the Python environments, and neither uv nor python3 is on PATH: apt-get install python3 python3-pip, ${ELSEWHERE}`,
    );
  const started = performance.now();
  context.progress.started(STEP);
  await mkdir(dirname(folder), { recursive: true });
  await removeLeftovers(folder);
  const staging = temporarySibling(folder);
  try {
    await pipInstall(context, python, staging);
    const tool = await publishBinary(join(staging, "bin", "uv"), folder, {
      name: "uv",
      version: UV_VERSION,
      origin: `pip install uv==${UV_VERSION}`,
      check: async (path) => void (await printedVersion(context, "uv", path)),
    });
    const detail = mebibytes(await folderBytes(folder));
    context.progress.finished(STEP, { seconds: secondsSince(started), detail, reused: false });
    return tool;
  } catch (error) {
    context.run.signal.throwIfAborted();
    context.progress.failed(STEP, messageOf(error));
    throw error;
  } finally {
    await discard(staging);
  }
}

async function pipInstall(context: ProvisionContext, python: string, target: string): Promise<void> {
  await mkdir(context.run.tempDir, { recursive: true });
  const requirements = join(context.run.tempDir, "uv-requirements.txt");
  const hashes = UV_WHEELS.map((sha256) => ` --hash=sha256:${sha256}`).join("");
  await writeFile(requirements, `uv==${UV_VERSION}${hashes}\n`);
  await runTool(context, {
    step: `installing ${STEP}`,
    command: [
      python,
      ...["-m", "pip", "install", "--no-input", "--disable-pip-version-check", "--no-deps"],
      ...["--only-binary", ":all:", "--require-hashes", "--target", target, "--requirement", requirements],
    ],
    // Settings of the user's that forbid --target.
    env: { PIP_USER: "0", PIP_REQUIRE_VIRTUALENV: "0", PIP_ROOT_USER_ACTION: "ignore" },
    remedy: pipRemedy,
  });
}

function pipRemedy(log: string): string {
  if (/No module named pip/.test(log)) return `pip is missing: apt-get install python3-pip, ${ELSEWHERE}`;
  if (/DO NOT MATCH THE HASHES/.test(log))
    return `the index serves another uv ${UV_VERSION}: check the index, ${ELSEWHERE}`;
  if (/No matching distribution|Could not find a version|Connection|Temporary failure/i.test(log))
    return `check the network and the index that pip is configured for (PIP_INDEX_URL), ${ELSEWHERE}`;
  return `see the last lines of its output, ${ELSEWHERE}`;
}
