/** What is built is a copy of what git tracks, and of new files that it does not ignore; real checkouts, and no installer. */
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { beforeEach, expect, it } from "vitest";
import type { AppInstall } from "../../../src/plan/types.js";
import { type CleanCopy, cleanCopy } from "../../../src/provision/environments/clean-copy.js";
import { environmentTarget } from "../../../src/provision/environments/environment.js";
import { environmentSpec, type Provisioning, provisioning } from "../../support/provisioning.js";
import { commit, git, newRepository, stateOf, writeFiles } from "../../support/repository.js";

const PYTHON = { executable: "/usr/bin/python3", version: "3.11.7", implementation: "cpython" };

let setup: Provisioning;
/** Its name and that of the folder around it have blanks. */
let checkout: string;
beforeEach(async () => {
  setup = await provisioning();
  checkout = newRepository(join(realpathSync(setup.root), "my checkout"));
  commit(checkout, {
    ".gitignore": "build/\nlocal.py\n",
    "pyproject.toml": "[project]\nname = 'shop'\n",
    "shop.py": "1\n",
  });
});

async function copyOf(fields: { folder?: string; install?: AppInstall }): Promise<CleanCopy> {
  const { folder, install } = fields;
  const requires = folder === undefined ? ["six"] : [`six @ ${pathToFileURL(folder).href}`];
  const spec = environmentSpec({ requires, ...(install && { install }) });
  return await cleanCopy(setup.context, await environmentTarget(setup.context, spec, PYTHON));
}

/** The folder that the server's requirement names. */
function folderIn({ spec }: CleanCopy): string {
  return decodeURI(/ @ file:\/\/(\S+)/.exec(spec.requires[0] ?? "")?.[1] ?? "");
}

function appInstall(fields: Partial<AppInstall> = {}): AppInstall {
  const project = { path: checkout, at: "servers.yml:3" };
  return {
    app: "shop",
    folder: checkout,
    requirements: [],
    extras: [],
    groups: [],
    editable: false,
    project,
    ...fields,
  };
}

it("has no file that git ignores, and leaves the user's checkout as it is", async () => {
  writeFiles(checkout, { "build/lib/gone.py": "stale\n", "local.py": "x\n", "new.py": "new\n", "shop.py": "2\n" });
  writeFiles(checkout, { "gone.py": "x\n" });
  git(checkout, "add", "gone.py");
  rmSync(join(checkout, "gone.py"));
  symlinkSync("shop.py", join(checkout, "link.py"));
  symlinkSync("../outside.py", join(checkout, "out.py"));
  const before = stateOf(checkout);
  await using copy = await copyOf({ folder: checkout });
  const folder = folderIn(copy);
  const names = [".git", ".gitignore", "link.py", "new.py", "out.py", "pyproject.toml", "shop.py"];
  expect(readdirSync(folder).sort()).toEqual(names);
  expect(readFileSync(join(folder, "link.py"), "utf8")).toBe("2\n");
  writeFileSync(join(checkout, "../outside.py"), "outside\n");
  expect(readFileSync(join(folder, "out.py"), "utf8")).toBe("outside\n");
  writeFiles(folder, { "build/lib/gone.py": "built\n", "shop.py": "changed\n" });
  expect(stateOf(checkout)).toBe(before);
  expect(readFileSync(join(checkout, "build/lib/gone.py"), "utf8")).toBe("stale\n");
  // Messages name the files that the user knows.
  expect(copy.withUserPaths(`${folder}/shop.py: ${pathToFileURL(folder).href}`)).toBe(
    `${checkout}/shop.py: ${pathToFileURL(checkout).href}`,
  );
});

it("goes when the build has ended", async () => {
  const copy = await copyOf({ folder: checkout });
  await copy[Symbol.asyncDispose]();
  expect(existsSync(folderIn(copy))).toBe(false);
});

it("has the version that git gives the checkout, and its uncommitted changes", async () => {
  git(checkout, "tag", "v1");
  const describe = (folder: string) =>
    execFileSync("git", ["describe", "--tags", "--dirty"], { cwd: folder, encoding: "utf8" });
  {
    await using copy = await copyOf({ folder: checkout });
    expect(describe(folderIn(copy))).toBe("v1\n");
  }
  writeFiles(checkout, { "shop.py": "2\n", "päth/new.py": "x\n" });
  git(checkout, "add", "--all");
  await using copy = await copyOf({ folder: checkout });
  expect(describe(folderIn(copy))).toBe("v1-dirty\n");
  expect(git(folderIn(copy), "status", "--porcelain")).toBe(git(checkout, "status", "--porcelain"));
});

it("is of the whole checkout, with its submodules", async () => {
  const inner = newRepository(join(checkout, "../inner"));
  commit(inner, { "lib.py": "inner\n", ".gitignore": "build/\n" });
  git(checkout, "submodule", "--quiet", "add", inner, "vendored/inner");
  commit(checkout, { "services/shop/setup.py": "x\n", VERSION: "1\n" });
  writeFiles(checkout, { "vendored/inner/build/x.o": "stale\n" });
  await using copy = await copyOf({ folder: join(checkout, "services/shop") });
  const top = join(folderIn(copy), "../..");
  expect(readFileSync(join(top, "VERSION"), "utf8")).toBe("1\n");
  expect(readdirSync(join(top, "vendored/inner")).sort()).toEqual([".git", ".gitignore", "lib.py"]);
});

it("has what is named although git ignores it, and what is in no checkout but for what builds leave", async () => {
  const plain = join(checkout, "../plain");
  writeFiles(plain, { "setup.py": "x\n", "build/lib/x.py": "stale\n", "x.egg-info/PKG-INFO": "stale\n" });
  writeFiles(checkout, { "build/lib/setup.py": "x\n", "build/requirements.txt": "../lib\n" });
  const requirements = [{ path: join(checkout, "build/requirements.txt"), at: "servers.yml:4" }];
  writeFiles(join(checkout, ".."), { "lib/setup.py": "x\n" });
  await using copy = await copyOf({ folder: plain, install: appInstall({ requirements }) });
  expect(readdirSync(folderIn(copy))).toEqual(["setup.py"]);
  const { install } = copy.spec;
  const moved = [install?.folder, install?.project?.path, install?.requirements[0]?.path].map(String);
  for (const path of moved) expect(existsSync(path) && !path.startsWith(checkout), path).toBe(true);
  // A way from one folder to another stays the same.
  expect(existsSync(join(String(install?.folder), "../plain/setup.py"))).toBe(true);
  expect(existsSync(join(String(install?.folder), "../lib/setup.py"))).toBe(true);
  await using ignored = await copyOf({ folder: join(checkout, "build/lib") });
  expect(readdirSync(folderIn(ignored))).toEqual(["setup.py"]);
});

it("has other projects at the same distance, each once", async () => {
  const source = (path: string) => `[tool.uv.sources]\nother = { path = "${path}" }\n`;
  commit(checkout, { "pyproject.toml": source("../core") });
  commit(newRepository(join(checkout, "../core")), { "pyproject.toml": source("../my checkout"), "core.py": "1\n" });
  await using copy = await copyOf({ install: appInstall() });
  expect(existsSync(join(String(copy.spec.install?.project?.path), "../core/core.py"))).toBe(true);
});

it("is not made of what is editable, which runs from where it is, and of what an index has", async () => {
  const install = appInstall({ editable: true });
  await using copy = await copyOf({ folder: checkout, install });
  expect(copy.spec.install).toEqual(install);
  expect(folderIn(copy)).not.toBe(checkout);
  await using other = await copyOf({});
  expect(other.spec).toEqual(environmentSpec());
  const wheel = join(checkout, "../six-1.0-py3-none-any.whl");
  writeFileSync(wheel, "x");
  mkdirSync(join(checkout, "../empty"));
  await using ofWheel = await copyOf({ folder: wheel });
  expect(folderIn(ofWheel)).toBe(wheel);
});
