/** What of a pyproject.toml comes from git. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { gitOfProject } from "../../../src/provision/environments/project-git.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

async function gitOf(toml: string, { extras = [], groups = [] }: { extras?: string[]; groups?: string[] } = {}) {
  writeFileSync(join(folder, "pyproject.toml"), toml);
  return await gitOfProject(folder, { extras, groups });
}

const LIB = "lib @ git+https://host/lib.git@main";

describe("requirements from git", () => {
  it("are those of the project and of its build, and of no extra or group that is not asked for", async () => {
    const toml = `
[build-system]
requires = ["tool @ git+https://host/tool.git"]
[project]
dependencies = ["idna", "${LIB}"]
optional-dependencies = { other = ["other @ git+https://host/other.git"] }
[dependency-groups]
dev = ["dev @ git+https://host/dev.git"]
`;
    expect(await gitOf(toml)).toEqual(["tool @ git+https://host/tool.git", LIB]);
  });

  it("are those of a group that a group includes", async () => {
    const toml = `
[dependency-groups]
Dev_Tools = ["idna", { include-group = "Libs" }]
libs = ["${LIB}", { include-group = "dev-tools" }]
`;
    expect(await gitOf(toml, { groups: ["dev-tools"] })).toEqual([LIB]);
  });

  it("are those of an extra that an extra of the same project names", async () => {
    const toml = `
[project]
name = "My_Shop"
optional-dependencies = { All = ["my-shop[Libs, all]", "other[none]"], libs = ["${LIB}"], none = ["x @ git+https://host/x.git"] }
[dependency-groups]
dev = ["my.shop[libs]"]
`;
    expect(await gitOf(toml, { extras: ["all"] })).toEqual([LIB]);
    expect(await gitOf(toml, { groups: ["dev"] })).toEqual([LIB]);
  });

  it("are the sources of uv for this platform, but not for what only another extra needs", async () => {
    const toml = `
[project]
dependencies = ["Lib.One>=1", "two", "three"]
optional-dependencies = { other = ["unused"] }
[tool.uv.sources]
lib-one = { git = "https://host/one.git", branch = "main" }
two = [{ git = "https://host/two.git", tag = "v2", marker = "sys_platform == 'linux'" }, { git = "https://host/win.git", marker = "sys_platform == 'win32'" }]
three = { git = "https://host/three.git" }
member = { git = "https://host/member.git" }
unused = { git = "https://host/unused.git", branch = "gone" }
`;
    expect(await gitOf(toml)).toEqual([
      "lib-one @ git+https://host/one.git@main",
      "two @ git+https://host/two.git@v2",
      "three @ git+https://host/three.git",
      // A member of the workspace may need it, or dynamic dependencies.
      "member @ git+https://host/member.git",
    ]);
  });

  it("are none where the file is not there or cannot be read", async () => {
    expect(await gitOfProject(folder, { extras: [], groups: [] })).toEqual([]);
    expect(await gitOf("[project")).toEqual([]);
  });
});
