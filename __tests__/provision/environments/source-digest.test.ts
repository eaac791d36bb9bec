/** When a local requirement is built anew: after every change of what git would keep, and after no other. */
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { folderDigest, sourceDigest } from "../../../src/provision/environments/source-digest.js";
import { commit, git, newRepository, writeFiles } from "../../support/repository.js";

let temp: string;
let checkout: string;
beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
  checkout = newRepository(join(temp, "checkout"));
  commit(checkout, { "server.py": "one\n", ".gitignore": "target/\n" });
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

it("sees edited and new files, not ignored ones", async () => {
  const before = await folderDigest(checkout);
  writeFiles(checkout, { "target/built.so": "x" });
  expect(await folderDigest(checkout)).toBe(before);
  writeFiles(checkout, { "new.py": "x" });
  const added = await folderDigest(checkout);
  expect(added).not.toBe(before);
  rmSync(join(checkout, "new.py"));
  expect(await folderDigest(checkout)).toBe(before);
  writeFileSync(join(checkout, "server.py"), "two\n");
  expect(await folderDigest(checkout)).not.toBe(before);
});

it("does not see the results of an earlier run", async () => {
  const before = await folderDigest(checkout);
  writeFiles(checkout, { "out/results.json": '{\n  "schema": "server-bench/results"', "out/charts/a.svg": "" });
  expect(await folderDigest(checkout)).toBe(before);
  // Nor does a link to nowhere of that name hide what git ignores.
  mkdirSync(join(checkout, "broken"));
  symlinkSync("nowhere", join(checkout, "broken/results.json"));
  const beside = await folderDigest(checkout);
  writeFiles(checkout, { "target/built.so": "x" });
  expect(await folderDigest(checkout)).toBe(beside);
  writeFiles(checkout, { "data/results.json": "{}" });
  expect(await folderDigest(checkout)).not.toBe(before);
});

it("is the same for the same files elsewhere", async () => {
  git(temp, "clone", "--quiet", checkout, "another place");
  const digests = [checkout, join(temp, "another place")].map((folder) =>
    sourceDigest([`tiny @ file://${folder.replaceAll(" ", "%20")}`]),
  );
  expect(new Set(await Promise.all(digests)).size).toBe(1);
  expect(await sourceDigest(["tiny==1.0"])).toBe("");
});

describe("of a project in a folder of a checkout", () => {
  const digest = () => sourceDigest([`tiny @ file://${join(checkout, "server")}`]);

  beforeEach(() => {
    commit(checkout, { "server/tiny.py": "one\n", "core/lib.py": "one\n" });
  });

  it("sees what changed beside it, committed or not", async () => {
    const before = await digest();
    writeFiles(checkout, { "core/lib.py": "two\n" });
    const edited = await digest();
    expect(edited).not.toBe(before);
    writeFiles(checkout, { "core/lib.py": "three\n" });
    expect(await digest()).not.toBe(edited);
    git(checkout, "commit", "--quiet", "--all", "-m", "Three");
    const committed = await digest();
    expect(committed).not.toBe(before);
    writeFiles(checkout, { "core/new.py": "one\n" });
    expect(await digest()).not.toBe(committed);
    rmSync(join(checkout, "core/new.py"));
    expect(await digest()).toBe(committed);
    rmSync(join(checkout, "core/lib.py"));
    expect(await digest()).not.toBe(committed);
  });

  it("stays the same beside what setuptools leaves, also where git does not ignore it", async () => {
    const before = await digest();
    const left = ["tiny.egg-info/PKG-INFO", "build/lib/tiny.py", "build/bdist.linux-x86_64/wheel/tiny.py"];
    for (const name of left) writeFiles(checkout, { [`server/${name}`]: "x" });
    writeFiles(checkout, {
      "core/src/core.egg-info/SOURCES.txt": "x",
      "core/build/lib.linux-x86_64-cpython-311/lib.py": "x",
    });
    expect(await digest()).toBe(before);
    writeFiles(checkout, { "server/build/tiny.js": "x" });
    expect(await digest()).not.toBe(before);
  });

  it("stays the same beside results of earlier runs, and in a clone", async () => {
    const before = await digest();
    writeFiles(checkout, { "out/results.json": '{\n  "schema": "server-bench/results"', "out/report.md": "" });
    expect(await digest()).toBe(before);
    git(temp, "clone", "--quiet", checkout, "clone");
    expect(await sourceDigest([`tiny @ file://${join(temp, "clone/server")}`])).toBe(before);
  });
});

describe("beside the folder of the scenario files", () => {
  const BUILD = "[project]\nname = 'tiny'\n";
  const digest = (project = checkout) => sourceDigest([`tiny @ file://${project}`], join(checkout, "benchmarks"));
  const edit = async (files: Readonly<Record<string, string>>, project = checkout) => {
    const before = await digest(project);
    writeFiles(checkout, files);
    return { before, after: await digest(project) };
  };

  beforeEach(() => {
    commit(checkout, {
      "pyproject.toml": BUILD,
      "benchmarks/servers.yml": "one\n",
      ".github/workflows/benchmark.yml": "one\n",
      "api/tiny.py": "one\n",
    });
  });

  it.each(["", "/api"])("stays the same when these and GitHub's files change, of a project in .%s", async (within) => {
    const project = `${checkout}${within}`;
    const files = { "benchmarks/servers.yml": "two\n", "benchmarks/app.py": "", ".github/dependabot.yml": "two\n" };
    const { before, after } = await edit(files, project);
    expect(after).toBe(before);
    commit(checkout, {});
    expect(await digest(project)).toBe(before);
    writeFileSync(join(checkout, "server.py"), "two\n");
    expect(await digest(project)).not.toBe(before);
  });

  it.each([
    ["holds a package", { "benchmarks/lib/__init__.py": "" }],
    ["is named by the build's files", { "setup.py": "open('benchmarks/servers.yml')\n" }],
    ["is where a link of the project leads", undefined],
  ])("sees them where that folder %s", async (_, files) => {
    if (files) commit(checkout, files);
    else symlinkSync("../benchmarks", join(checkout, "api/data"));
    const { before, after } = await edit({ "benchmarks/servers.yml": "two\n" });
    expect(after).not.toBe(before);
  });

  it("sees them where the project is in that folder", async () => {
    const { before, after } = await edit({ "benchmarks/servers.yml": "two\n" }, join(checkout, "benchmarks"));
    expect(after).not.toBe(before);
  });
});

it("sees the files of submodules", async () => {
  const inner = newRepository(join(temp, "inner"));
  commit(inner, { "lib.py": "one\n" });
  git(checkout, "submodule", "--quiet", "add", inner, "inner");
  commit(checkout, {});
  const before = await folderDigest(checkout);
  writeFileSync(join(checkout, "inner/lib.py"), "two\n");
  expect(await folderDigest(checkout)).not.toBe(before);
  // A repository that the checkout does not know is no part of it.
  writeFileSync(join(checkout, "inner/lib.py"), "one\n");
  git(checkout, "clone", "--quiet", inner, "foreign");
  const beside = await folderDigest(checkout);
  writeFileSync(join(checkout, "foreign/lib.py"), "three\n");
  expect(await folderDigest(checkout)).toBe(beside);
});

describe("what a pull request could hide a change behind", () => {
  it("a symbolic link to a folder or a file of the checkout", async () => {
    writeFiles(checkout, { "app/main.py": "import shop\n", "shop/price.py": "1\n", "one.py": "1\n" });
    symlinkSync("../shop", join(checkout, "app/shop"));
    symlinkSync("../one.py", join(checkout, "app/one.py"));
    symlinkSync("..", join(checkout, "shop/round"));
    commit(checkout, {});
    const app = join(checkout, "app");
    const before = await folderDigest(app);
    git(temp, "clone", "--quiet", checkout, "elsewhere");
    expect(await folderDigest(join(temp, "elsewhere/app"))).toBe(before);
    writeFiles(checkout, { "shop/price.py": "2\n" });
    expect(await folderDigest(app)).not.toBe(before);
    writeFiles(checkout, { "shop/price.py": "1\n", "one.py": "2\n" });
    expect(await folderDigest(app)).not.toBe(before);
    writeFiles(checkout, { "one.py": "1\n" });
    expect(await folderDigest(app)).toBe(before);
    symlinkSync(app, join(checkout, "way-in"));
    writeFiles(checkout, { "shop/price.py": "2\n" });
    expect(await folderDigest(join(checkout, "way-in"))).not.toBe(before);
  });

  it("another target of a link, which leads nowhere or out of the checkout", async () => {
    writeFiles(temp, { "a/x.py": "same\n", "b/x.py": "same\n" });
    const digests = new Set<string>();
    for (const target of ["nowhere", "nowhere-else", "/dev/zero", "itself", join(temp, "a"), join(temp, "b")]) {
      symlinkSync(target, join(checkout, "itself"));
      digests.add(await folderDigest(checkout));
      rmSync(join(checkout, "itself"));
    }
    expect(digests.size).toBe(6);
    // Equal texts that lead to two places.
    symlinkSync("../a", join(checkout, "near"));
    commit(checkout, {});
    mkdirSync(join(temp, "deeper/a"), { recursive: true });
    git(temp, "clone", "--quiet", checkout, "deeper/clone");
    expect(await folderDigest(join(temp, "deeper/clone"))).not.toBe(await folderDigest(checkout));
  });

  it("bytecode that is tracked, and not what Python left there", async () => {
    const before = await folderDigest(checkout);
    writeFiles(checkout, { "__pycache__/server.cpython-313.pyc": "left by Python" });
    expect(await folderDigest(checkout)).toBe(before);
    commit(checkout, {});
    const tracked = await folderDigest(checkout);
    expect(tracked).not.toBe(before);
    writeFiles(checkout, { "__pycache__/server.cpython-313.pyc": "changed" });
    expect(await folderDigest(checkout)).not.toBe(tracked);
  });

  it("a name that is not UTF-8, and the mode of a program", async () => {
    const name = Buffer.concat([Buffer.from(`${checkout}/`), Buffer.from([0xff, 0xfe])]);
    writeFileSync(name, "one\n");
    commit(checkout, {});
    const before = await folderDigest(checkout);
    expect(await folderDigest(checkout)).toBe(before);
    writeFileSync(name, "two\n");
    expect(await folderDigest(checkout)).not.toBe(before);
    writeFileSync(name, "one\n");
    chmodSync(join(checkout, "server.py"), 0o755);
    expect(await folderDigest(checkout)).not.toBe(before);
  });

  it("a path that cannot be read: it is never equal", async () => {
    // Longer than the system takes, behind a link: root may read everything else.
    symlinkSync(`${"x".repeat(300)}`, join(checkout, "link"));
    expect(await folderDigest(checkout)).not.toBe(await folderDigest(checkout));
  });

  it("in a folder without git: folders that builds write, and links", async () => {
    const plain = join(temp, "plain");
    writeFiles(plain, { "app.py": "1\n", "build/x.py": "1\n", "shop/y.py": "1\n" });
    const before = await folderDigest(plain);
    writeFiles(plain, { "build/x.py": "2\n" });
    expect(await folderDigest(plain)).not.toBe(before);
    writeFiles(plain, { "build/x.py": "1\n", "__pycache__/x.pyc": "1" });
    expect(await folderDigest(plain)).toBe(before);
    symlinkSync("shop", join(plain, "link"));
    expect(await folderDigest(plain)).not.toBe(before);
  });
});
