/** Apps as they are deployed: requirements, hashes, locks and projects, with real uv and a real index. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkAppFiles } from "../../src/plan/app-files.js";
import { planRun, rowsOf } from "../../src/plan/plan.js";
import type { AppInstall, EnvironmentSpec } from "../../src/plan/types.js";
import { openContext } from "../../src/provision/context.js";
import { environmentKey } from "../../src/provision/environments/key.js";
import { replacedNotes } from "../../src/provision/environments/replaced.js";
import { provision } from "../../src/provision/provision.js";
import { provideUv } from "../../src/provision/tools/uv.js";
import { type Provisioning, provisioning, rowNeeding } from "../support/provisioning.js";
import { commit, newRepository, writeFiles } from "../support/repository.js";

const TIMEOUT_MS = 240_000;
/** The server's pins: six is the server, idna is what a knob needs. */
const SERVER = { server: "tiny", requires: ["six==1.16.0", "idna==3.7"], distribution: "six", systemPackages: [] };

function appInstall(folder: string, fields: Partial<AppInstall>): AppInstall {
  return { app: "shop", folder, requirements: [], extras: [], groups: [], editable: false, ...fields };
}

function named(folder: string, path: string) {
  return { path: join(folder, path), at: `servers.yml:3: apps.shop.install (${path})` };
}

async function open() {
  const { context, program, root, bin } = await provisioning();
  await program("oha", "echo oha 1.16.0");
  // uv itself comes from the machine's cache.
  const uv = await provideUv(await openContext({ ...context, env: process.env }));
  await program("uv", `exec "${uv.path}" "$@"`);
  const env = { ...process.env, SERVER_BENCH_CACHE: context.cache, PATH: `${bin}:${process.env.PATH ?? ""}` };
  return { root, uv: uv.path, options: { ...context, env } satisfies Provisioning["context"] };
}

type Opened = Awaited<ReturnType<typeof open>>;

async function installed({ options }: Opened, install: AppInstall, fields: Partial<EnvironmentSpec> = {}) {
  const spec = { ...SERVER, install, ...fields };
  const provisioned = await provision([rowNeeding(spec)], options);
  const state = provisioned.environments.get(environmentKey(spec));
  if (state === undefined) throw new Error("no state");
  return { state, notes: replacedNotes(provisioned) };
}

async function ready(opened: Opened, install: AppInstall, fields: Partial<EnvironmentSpec> = {}) {
  const { state, notes } = await installed(opened, install, fields);
  if (state.state !== "ready") throw new Error(JSON.stringify(state));
  return { ...state, notes };
}

function folderOf({ root }: Opened, files: Readonly<Record<string, string>>, name = "shop"): string {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  writeFiles(folder, files);
  return folder;
}

const PYPROJECT = `[project]
name = "shop"
description = "A shop"
version = "0.1"
requires-python = ">=3.10"
dependencies = ["six==1.15.0"]
[project.optional-dependencies]
prod = ["h11==0.14.0"]
[dependency-groups]
web = ["sniffio==1.3.0"]
dev = ["iniconfig"]
[build-system]
requires = ["flit_core"]
build-backend = "flit_core.buildapi"
`;

describe("requirements files", () => {
  it("are installed with the server's pins where both fit, and before them where not", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const opened = await open();
    const folder = folderOf(opened, { "requirements.txt": "-r more.txt\nsix>=1.10\n", "more.txt": "h11==0.14.0\n" });
    const install = appInstall(folder, { requirements: [named(folder, "requirements.txt")] });
    const fits = await ready(opened, install);
    expect(fits.packages).toEqual(["h11==0.14.0", "idna==3.7", "six==1.16.0"]);
    expect(fits.notes).toEqual([]);
    // The environment follows the included file too.
    writeFileSync(join(folder, "more.txt"), "six==1.15.0\n");
    const wins = await ready(opened, install);
    expect(wins.binDir).not.toBe(fits.binDir);
    expect(wins).toMatchObject({ version: "1.15.0", packages: ["idna==3.7", "six==1.15.0"] });
    expect(wins.notes).toEqual([
      "The app shop brings its own versions, and these were measured: six 1.15.0 instead of 1.16.0 of servers.yml.",
    ]);
    // What the user asks for on the command line is what is measured.
    const chosen = await ready(opened, install, { requires: ["six==1.17.0", "idna==3.7"], chosen: ["six"] });
    expect(chosen.version).toBe("1.17.0");
    // So is what the app's entry names, also where the app's file and the server's pin say otherwise.
    const own = ["idna<3.7", "h11==0.15.0"];
    const given = await ready(opened, install, { requires: [...SERVER.requires, ...own], own });
    expect(given.packages).toEqual(["h11==0.15.0", "idna==3.6", "six==1.15.0"]);
  });

  it("may be Poetry's own list, of a project that is no package", { timeout: TIMEOUT_MS }, async () => {
    const opened = await open();
    const poetry =
      '[build-system]\nrequires = ["poetry-core"]\nbuild-backend = "poetry.core.masonry.api"\n[tool.poetry]\npackage-mode = false\n';
    const list =
      '[tool.poetry.dependencies]\npython = "^3.10"\nh11 = "~0.14"\nsix = { version = "1.15.0", python = ">=3.10" }\n';
    const folder = folderOf(opened, { "pyproject.toml": poetry + list });
    const install = appInstall(folder, { requirements: [named(folder, "pyproject.toml")] });
    expect((await ready(opened, install)).packages).toEqual(["h11==0.14.0", "idna==3.7", "six==1.15.0"]);
  });

  it("with hashes demand them", { timeout: TIMEOUT_MS }, async () => {
    const opened = await open();
    const right = "8abb2f1d86890a2dfb989f9a77cfcfd3e47c2a354b01111771326f8aa26e0254";
    const line = (sha256: string) => `six==1.16.0 \\\n    --hash=sha256:${sha256}\n`;
    const folder = folderOf(opened, { "locked.txt": line(right) });
    const install = appInstall(folder, { requirements: [named(folder, "locked.txt")] });
    expect((await ready(opened, install)).packages).toEqual(["idna==3.7", "six==1.16.0"]);
    writeFileSync(join(folder, "locked.txt"), line("0".repeat(64)));
    expect((await installed(opened, install)).state).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(
        /^app shop with tiny cannot be installed: Hash mismatch for six==1\.16\.0; the index has/,
      ),
    });
    writeFileSync(join(folder, "locked.txt"), `${line(right)}h11==0.14.0\n`);
    expect((await installed(opened, install)).state).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(/require-hashes.*h11.*; a requirements file with hashes needs every distribution/),
    });
  });
});

describe("a lock", () => {
  it("is installed as it is, with its extras and groups, and never written", { timeout: TIMEOUT_MS }, async () => {
    const opened = await open();
    const folder = folderOf(opened, { "pyproject.toml": PYPROJECT, "shop.py": "" });
    execFileSync(opened.uv, ["lock", "--quiet"], { cwd: folder });
    const lock = named(folder, "uv.lock");
    const before = readFileSync(lock.path, "utf8");
    const plain = await ready(opened, appInstall(folder, { lock }));
    expect(plain).toMatchObject({ version: "1.15.0", packages: ["idna==3.7", "six==1.15.0"] });
    const whole = await ready(
      opened,
      appInstall(folder, { lock, project: named(folder, "."), extras: ["prod"], groups: ["web"] }),
    );
    expect(whole.packages).toEqual(["h11==0.14.0", "idna==3.7", "shop==0.1", "six==1.15.0", "sniffio==1.3.0"]);
    expect(whole.local).toEqual(["shop"]);
    expect(readFileSync(lock.path, "utf8")).toBe(before);
    expect(readdirSync(folder)).not.toContain(".venv");

    writeFileSync(join(folder, "pyproject.toml"), PYPROJECT.replace("six==1.15.0", "six==1.17.0"));
    const { state: stale } = await installed(opened, appInstall(folder, { lock }));
    expect(stale).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(
        /^app shop cannot be installed: servers\.yml:3: apps\.shop\.install \(uv\.lock\): uv\.lock is stale: pyproject\.toml asks for something else; run `uv lock` and commit the lock;/,
      ),
    });
    const [, log = ""] = /; the whole log: (.+)$/.exec(stale.state === "failed" ? stale.reason : "") ?? [];
    expect(readFileSync(log, "utf8")).toContain("lock");
    expect(log).toContain(opened.options.cache);
    writeFileSync(lock.path, "version = what\n");
    expect((await installed(opened, appInstall(folder, { lock }))).state).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(/^app shop cannot be installed: servers\.yml:3: .*uv\.lock/),
    });
  });

  it("is one for each side", { timeout: TIMEOUT_MS }, async () => {
    const opened = await open();
    const sides = ["1.15.0", "1.17.0"].map((version) => {
      const folder = folderOf(
        opened,
        { "pyproject.toml": PYPROJECT.replace("six==1.15.0", `six==${version}`) },
        version,
      );
      execFileSync(opened.uv, ["lock", "--quiet"], { cwd: folder });
      return { ...SERVER, install: appInstall(folder, { lock: named(folder, "uv.lock") }) };
    });
    const { environments } = await provision(sides.map(rowNeeding), opened.options);
    expect(sides.map((spec) => environments.get(environmentKey(spec)))).toMatchObject([
      { state: "ready", version: "1.15.0" },
      { state: "ready", version: "1.17.0" },
    ]);
  });

  it("may be a pylock.toml", { timeout: TIMEOUT_MS }, async () => {
    const opened = await open();
    const folder = folderOf(opened, { "pyproject.toml": PYPROJECT });
    execFileSync(opened.uv, ["lock", "--quiet"], { cwd: folder });
    const args = ["export", "--quiet", "--format", "pylock.toml", "--no-default-groups", "--no-emit-project"];
    execFileSync(opened.uv, [...args, "--output-file", "pylock.toml"], { cwd: folder });
    const { packages } = await ready(opened, appInstall(folder, { lock: named(folder, "pylock.toml") }));
    expect(packages).toEqual(["idna==3.7", "six==1.15.0"]);
  });
});

describe("a poetry.lock", () => {
  const fixture = new URL("../provision/environments/poetry/standard/", import.meta.url);
  const files = Object.fromEntries(
    ["pyproject.toml", "poetry.lock"].map((name) => [name, readFileSync(new URL(name, fixture), "utf8")]),
  );

  it("is installed with its hashes, and never written", { timeout: TIMEOUT_MS }, async () => {
    const opened = await open();
    const folder = folderOf(opened, files);
    const lock = named(folder, "poetry.lock");
    const plain = await ready(opened, appInstall(folder, { lock }));
    expect(plain.packages).toEqual(["idna==3.7", "six==1.16.0"]);
    expect(readdirSync(folder).sort()).toEqual(["poetry.lock", "pyproject.toml"]);
    const others = (files["poetry.lock"] ?? "").replaceAll(/sha256:[0-9a-f]{64}/g, `sha256:${"0".repeat(64)}`);
    writeFileSync(lock.path, others);
    expect((await installed(opened, appInstall(folder, { lock }))).state).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(/^app shop with tiny cannot be installed: Hash mismatch for /),
    });
  });

  it("that is stale is named", { timeout: TIMEOUT_MS }, async () => {
    const opened = await open();
    const pyproject = (files["pyproject.toml"] ?? "").replace(">=1.16,<2", ">=1.15,<2");
    const folder = folderOf(opened, { ...files, "pyproject.toml": pyproject });
    expect((await installed(opened, appInstall(folder, { lock: named(folder, "poetry.lock") }))).state).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(
        /^app shop cannot be installed: servers\.yml:3: .*poetry\.lock is stale: pyproject\.toml asks for something else; run `poetry lock` and commit the lock$/,
      ),
    });
  });
});

describe("requires-python", () => {
  it("that refuses the Python of the row is named with both versions", { timeout: TIMEOUT_MS }, async () => {
    const opened = await open();
    const folder = folderOf(opened, {
      "pyproject.toml": PYPROJECT.replace(">=3.10", ">=3.99"),
      "requirements.txt": "six\n",
    });
    const install = appInstall(folder, { requirements: [named(folder, "requirements.txt")] });
    expect((await installed(opened, install)).state).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(
        /^app shop cannot be installed: it runs under Python >=3\.99 \(pyproject\.toml:5\), and this is Python 3\.\d+\.\d+; name a Python that fits with `python:` of the app, or with --python; in a workflow, add a step before this one: actions\/setup-python with python-version: "3\.14"$/,
      ),
    });
  });
});

describe("a project", () => {
  it("is installed with extras and groups, editable where that is asked", { timeout: TIMEOUT_MS }, async () => {
    const opened = await open();
    const folder = folderOf(opened, { "pyproject.toml": PYPROJECT, "shop.py": "NAME = 'one'\n" });
    const project = named(folder, ".");
    const ask = (binDir: string) =>
      execFileSync(join(binDir, "python"), ["-I", "-c", "import shop; print(shop.NAME)"], { encoding: "utf8" }).trim();
    const install = appInstall(folder, { project, extras: ["prod"], groups: ["web"] });
    const built = await ready(opened, install);
    expect(built.packages).toEqual(["h11==0.14.0", "idna==3.7", "shop==0.1", "six==1.15.0", "sniffio==1.3.0"]);
    writeFileSync(join(folder, "shop.py"), "NAME = 'two'\n");
    expect(ask(built.binDir)).toBe("one");
    expect(ask((await ready(opened, install)).binDir)).toBe("two");
    const editable = await ready(opened, appInstall(folder, { project, editable: true }));
    writeFileSync(join(folder, "shop.py"), "NAME = 'three'\n");
    expect(ask(editable.binDir)).toBe("three");
  });

  it("that is editable in base's checkout stays out of the cache", { timeout: TIMEOUT_MS }, async () => {
    const opened = await open();
    const { cache, run } = opened.options;
    const files = {
      "pyproject.toml": PYPROJECT,
      "shop.py": "",
      "editable.txt": "-e .\n",
      "plain.txt": "h11==0.14.0\n",
    };
    const base = folderOf(opened, files, "run/base");
    const placeOf = async (fields: Partial<AppInstall>) => (await ready(opened, appInstall(base, fields))).binDir;
    const project = named(base, ".");
    expect(await placeOf({ project, editable: true })).toContain(`${run.tempDir}/`);
    expect(await placeOf({ requirements: [named(base, "editable.txt")] })).toContain(`${run.tempDir}/`);
    expect(await placeOf({ requirements: [named(base, "plain.txt")] })).toContain(`${cache}/`);
  });
});

/** A library that is built beside the project. */
function library(value: string): Record<string, string> {
  const project = '[project]\nname = "corelib"\nversion = "1"\ndescription = "Ours"\n';
  const build = '[build-system]\nrequires = ["flit_core"]\nbuild-backend = "flit_core.buildapi"\n';
  return {
    "core/pyproject.toml": `${project}${build}`,
    "core/corelib.py": `VALUE = ${value}\n`,
  };
}

/** What the environment's library says, without the bytecode beside it. */
function installedValue({ binDir }: { readonly binDir: string }, module = "corelib.py"): string {
  const lib = join(binDir, "../lib");
  const [python = ""] = readdirSync(lib);
  return readFileSync(join(lib, python, "site-packages", module), "utf8").trim();
}

const WITH_CORELIB = PYPROJECT.replace('"six==1.15.0"', '"six==1.15.0", "corelib"');

/** Installs, changes the library, and installs again with the same caches. */
async function installTwice(
  opened: Opened,
  folder: string,
  install: AppInstall,
  fields: Partial<EnvironmentSpec> = {},
) {
  const first = await ready(opened, install, fields);
  writeFileSync(join(folder, "core/corelib.py"), "VALUE = 2\n");
  const second = await ready(opened, install, fields);
  return [installedValue(first), installedValue(second)];
}

describe("code beside the project", () => {
  it.each([
    ["workspace = true", '[tool.uv.workspace]\nmembers = ["core"]\n'],
    ['path = "core", editable = true', ""],
    ['path = "core"', ""],
  ])(
    "of uv's source { %s } is installed as it is now, and never editable",
    { timeout: TIMEOUT_MS },
    async (source, more) => {
      const opened = await open();
      const sources = `[tool.uv.sources]\ncorelib = { ${source} }\n${more}`;
      const folder = folderOf(opened, { "pyproject.toml": WITH_CORELIB + sources, "shop.py": "", ...library("1") });
      const install = appInstall(folder, { project: named(folder, ".") });
      expect(await installTwice(opened, folder, install)).toEqual(["VALUE = 1", "VALUE = 2"]);
    },
  );

  it("of a uv.lock is too", { timeout: TIMEOUT_MS }, async () => {
    const opened = await open();
    const sources = '[tool.uv.sources]\ncorelib = { workspace = true }\n[tool.uv.workspace]\nmembers = ["core"]\n';
    const folder = folderOf(opened, { "pyproject.toml": WITH_CORELIB + sources, "shop.py": "", ...library("1") });
    execFileSync(opened.uv, ["lock", "--quiet"], { cwd: folder });
    const install = appInstall(folder, { lock: named(folder, "uv.lock") });
    expect(await installTwice(opened, folder, install)).toEqual(["VALUE = 1", "VALUE = 2"]);
  });

  it("of a requirements file is too", { timeout: TIMEOUT_MS }, async () => {
    const opened = await open();
    const folder = folderOf(opened, { "requirements.txt": "./core\n", ...library("1") });
    const install = appInstall(folder, { requirements: [named(folder, "requirements.txt")] });
    expect(await installTwice(opened, folder, install)).toEqual(["VALUE = 1", "VALUE = 2"]);
  });

  it("that a folder of the same checkout is built from gives each side its own environment", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const opened = await open();
    const source = '[tool.uv.sources]\ncorelib = { path = "../core" }\n';
    const sideOf = (side: string, value: string) => {
      const files = { "web/pyproject.toml": WITH_CORELIB + source, "web/shop.py": "", ...library(value) };
      commit(newRepository(join(opened.root, side)), files);
      return join(opened.root, side, "web");
    };
    const values: string[] = [];
    for (const folder of [sideOf("base", "1"), sideOf("head", "2")])
      values.push(installedValue(await ready(opened, appInstall(folder, { project: named(folder, ".") }))));
    expect(values).toEqual(["VALUE = 1", "VALUE = 2"]);
  });

  it("that a local server is built from is as it is now", { timeout: TIMEOUT_MS }, async () => {
    const opened = await open();
    const source = '[tool.uv.sources]\ncorelib = { path = "../core" }\n';
    const checkout = newRepository(join(opened.root, "checkout"));
    commit(checkout, { "tiny/pyproject.toml": WITH_CORELIB + source, "tiny/shop.py": "", ...library("1") });
    const spec = {
      server: "tiny",
      requires: [`shop @ file://${encodeURI(join(checkout, "tiny"))}`],
      distribution: "shop",
      systemPackages: [],
    };
    const valueNow = async () => {
      const { environments } = await provision([rowNeeding(spec)], opened.options);
      const state = environments.get(environmentKey(spec));
      return state?.state === "ready" ? installedValue(state) : JSON.stringify(state);
    };
    expect(await valueNow()).toBe("VALUE = 1");
    writeFileSync(join(checkout, "core/corelib.py"), "VALUE = 2\n");
    expect(await valueNow()).toBe("VALUE = 2");
  });
});

describe("a pylock.toml that names the project itself", () => {
  it("is one for each side, and installs that side's code", { timeout: TIMEOUT_MS }, async () => {
    const opened = await open();
    const values: string[] = [];
    for (const side of ["base", "head"]) {
      const folder = folderOf(opened, { "pyproject.toml": PYPROJECT, "shop.py": `SIDE = "${side}"\n` }, side);
      execFileSync(opened.uv, ["export", "--quiet", "--output-file", "pylock.toml"], { cwd: folder });
      const state = await ready(opened, appInstall(folder, { lock: named(folder, "pylock.toml") }));
      values.push(installedValue(state, "shop.py"));
    }
    expect(values).toEqual(['SIDE = "base"', 'SIDE = "head"']);
  });
});

describe("what is not there", () => {
  it("is said with file, line and field before anything starts", async () => {
    const opened = await open();
    const root = new URL("../..", import.meta.url).pathname;
    const folder = folderOf(opened, {
      "bench/servers.yml": `apps:
  shop:
    interface: asgi
    path: ..
    install:
      lock: uv.lock
requests:
  home: { path: /, expect: { body: { text: "" } } }
`,
      "bench/mine.yml": "title: Mine\nrows:\n  - { title: A, app: shop, server: uvicorn, request: home }\n",
    });
    const scenarios = join(folder, "bench");
    const plan = await planRun({ root, cwd: folder, scenarios, selectors: ["mine"], profile: "quick", cores: 2 });
    expect(() => checkAppFiles(rowsOf(plan))).toThrow(
      /servers\.yml:6: apps\.shop\.install\.lock: there is no file .*\/shop\/uv\.lock; `uv lock` makes it; commit it$/,
    );
    const [row] = rowsOf(plan);
    const { environments } = await provision(row ? [row] : [], opened.options);
    expect([...environments.values()]).toMatchObject([
      { state: "failed", reason: expect.stringMatching(/^app shop cannot be installed: .*servers\.yml:6: /) },
    ]);
  });
});
