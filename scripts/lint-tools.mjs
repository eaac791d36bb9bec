/** actionlint and zizmor: from PATH where they are new enough, from the user's cache folder, else installed into it. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const INSTALL_TIMEOUT_MS = 5 * 60_000;
const CHECK_TIMEOUT_MS = 60_000;
const ELSEWHERE = "or put it on PATH";

const ACTIONLINT = {
  name: "actionlint",
  version: "1.7.12",
  versionFlag: "-version",
  install: installActionlint,
  // shellcheck and pyflakes are on some machines only; without them every machine finds the same.
  args: ["-shellcheck=", "-pyflakes=", "-config-file", settings("actionlint.yaml")],
};
const ZIZMOR = {
  name: "zizmor",
  version: "1.32.0",
  versionFlag: "--version",
  install: installZizmor,
  args: ["--offline", "--no-progress", "--strict-collection", "--persona=pedantic", "--config", settings("zizmor.yml")],
};
/** SHA-256 of that version's files on the package index. */
const ZIZMOR_FILES = [
  "0a999c98015becd9f69919ce01febadfb1c2be9b8ec2ce9ef7eb13ff23ba8eba",
  "0cdd38fca6eb34ceb567548548d706332e3535ea66894b9168c048e03207b68c",
  "3f404b26791ed06a5ea9eaa0bfd5b973fc5228bac7db8b3c5ec7f0c7ad2ed16d",
  "84a6acb975accc13408786a2bd274b572537ca19c933ebbc13e78f3988562071",
  "913fd3943bc1358aa6e23b33fe01cc98bf67af23985258b8fbf24eaa2f8728ea",
  "9cd1dd7734042f40ca0faa2a31fb4e9033dede620d996af2f903744b8f04fca9",
  "aa4b4e216321dd5cf202cd79fc83296468f0eed79d850cd65ac8187a6bbc5496",
  "bddcdb0e37d1aa53c9f831c55627a5829d0d552cb0afb4b80fbe16a3a3140366",
  "d34dcfa702875202b4163d90ebb9cc5222f3d1a7d4b72bf796d87b5a15b24194",
  "dd818f99d833b86cd432d5412d620d936b5df074b33404fff8b67acff55d3259",
  "eaedf57859f026a0a7da2a6b574517b1fe01e256c6875b3319a06ee1cee026a7",
  "f0b664d394576e08605fe8094e8e992056d74b808f30c0c9ca9ed227001dcf67",
];

const exec = promisify(execFile);

function settings(name) {
  return fileURLToPath(new URL(`../.github/${name}`, import.meta.url));
}

/** @returns for each `{ name, args, path, version }`, or `{ name, args, missing }` with the reason */
export function provideLinters() {
  return Promise.all([ACTIONLINT, ZIZMOR].map(provide));
}

/** @returns its exit code and all that it printed; a program that does not run is code -1. */
export async function outcomeOf(path, args, options = {}) {
  try {
    const { stdout, stderr } = await exec(path, args, { timeout: CHECK_TIMEOUT_MS, ...options });
    return { code: 0, output: `${stdout}${stderr}` };
  } catch (error) {
    const output = `${error.stdout ?? ""}${error.stderr ?? ""}`.trim();
    return { code: Number.isInteger(error.code) ? error.code : -1, output: output || error.message };
  }
}

async function provide(tool) {
  const { name, args } = tool;
  const folder = join(cacheFolder(), `${name}-${tool.version}-${process.platform}-${process.arch}`);
  const cached = join(folder, "bin", name);
  for (const path of [name, cached]) {
    const version = await versionOf(path, tool.versionFlag);
    if (version !== undefined && !isOlder(version, tool.version)) return { name, args, path, version };
  }
  try {
    await installInto(folder, tool);
    return { name, args, path: cached, version: tool.version };
  } catch (error) {
    return { name, args, missing: error.message };
  }
}

function cacheFolder() {
  const { SERVER_BENCH_CACHE, XDG_CACHE_HOME } = process.env;
  return join(SERVER_BENCH_CACHE || join(XDG_CACHE_HOME || join(homedir(), ".cache"), "server-bench"), "linters");
}

async function versionOf(path, flag) {
  const { code, output } = await outcomeOf(path, [flag]);
  return code === 0 ? /\d+\.\d+\.\d+/.exec(output)?.[0] : undefined;
}

function isOlder(version, than) {
  return version.localeCompare(than, "en", { numeric: true }) < 0;
}

/** Installs beside the folder and renames: a kill leaves no half of it, and two installs at once do not collide. */
async function installInto(folder, { install, versionFlag, name, version }) {
  await mkdir(dirname(folder), { recursive: true });
  const staging = await mkdtemp(`${folder}.tmp-`);
  try {
    await install(staging, version);
    if ((await versionOf(join(staging, "bin", name), versionFlag)) !== version)
      throw new Error(`the program installed as ${name} ${version} reports another version`);
    await rm(folder, { recursive: true, force: true });
    await rename(staging, folder);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
}

/** Go verifies the module against its checksum database. */
async function installActionlint(folder, version) {
  const module = `github.com/rhysd/actionlint/cmd/actionlint@v${version}`;
  const { code, output } = await outcomeOf("go", ["install", module], {
    env: { ...process.env, GOBIN: join(folder, "bin") },
    timeout: INSTALL_TIMEOUT_MS,
  });
  if (/ENOENT/.test(output) && code === -1)
    throw new Error(`it is built with Go, and there is no go on PATH: install Go (https://go.dev/dl), ${ELSEWHERE}`);
  if (code !== 0) throw new Error(`go install ${module} failed (${lastLine(output)}); correct that, ${ELSEWHERE}`);
}

/** A program without dependencies, in a wheel. */
async function installZizmor(folder, version) {
  const requirements = join(folder, "requirements.txt");
  await writeFile(
    requirements,
    `zizmor==${version}${ZIZMOR_FILES.map((sha256) => ` --hash=sha256:${sha256}`).join("")}\n`,
  );
  const options = ["--no-deps", "--require-hashes", "--only-binary", ":all:", "--target", folder, "-r", requirements];
  const ways = [
    ["python3", "-m", "pip", "install", "--no-input", "--disable-pip-version-check", ...options],
    ["uv", "pip", "install", ...options],
  ];
  const reasons = [];
  for (const [program, ...args] of ways) {
    const env = { ...process.env, PIP_USER: "0", PIP_REQUIRE_VIRTUALENV: "0", PIP_ROOT_USER_ACTION: "ignore" };
    const { code, output } = await outcomeOf(program, args, { env, timeout: INSTALL_TIMEOUT_MS });
    if (code === 0) return;
    reasons.push(`${program}: ${lastLine(output)}`);
  }
  throw new Error(
    `neither pip nor uv can install it (${reasons.join("; ")}): apt-get install python3-pip, ${ELSEWHERE}`,
  );
}

function lastLine(output) {
  return output.trim().split("\n").at(-1) ?? "";
}
