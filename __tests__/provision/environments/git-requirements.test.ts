/** An app's files that name a branch: its environment is another one when the branch has moved. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { environmentTarget } from "../../../src/provision/environments/environment.js";
import { environmentSpec, provisioning } from "../../support/provisioning.js";
import { commit, newRepository } from "../../support/repository.js";

const PYTHON = { executable: "/usr/bin/python3", version: "3.11.7", implementation: "cpython" };

async function app(write: (url: string) => Readonly<Record<string, string>>) {
  const setup = await provisioning();
  await setup.program("git", 'exec /usr/bin/git "$@"');
  const remote = newRepository(join(setup.root, "remote"));
  commit(remote, { "lib.py": "one\n" });
  const folder = join(setup.root, "shop");
  await mkdir(folder);
  const files = write(`git+file://${remote.replaceAll(" ", "%20")}`);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  const names = Object.keys(files);
  const install = {
    app: "shop",
    folder,
    requirements: names
      .filter((name) => name.endsWith(".txt"))
      .map((name) => ({ path: join(folder, name), at: "servers.yml" })),
    ...(names.includes("pyproject.toml") && { project: { path: folder, at: "servers.yml" } }),
    ...{ extras: [], groups: [], editable: false },
  };
  /** In a later run, which asks the remote again. */
  const target = async (id: string) => {
    const context = { ...setup.context, run: { ...setup.context.run, id } };
    return (await environmentTarget(context, environmentSpec({ install }), PYTHON)).folder;
  };
  return { remote, target, notes: setup.progressLines };
}

describe("an app that needs a branch", () => {
  it.each([
    ["by name", (url: string) => ({ "requirements.txt": `lib @ ${url}@main\nidna==3.7\n` })],
    ["without a name", (url: string) => ({ "requirements.txt": `-e ${url}#egg=lib\n` })],
    ["without blanks", (url: string) => ({ "requirements.txt": `lib@${url}@main\n` })],
    [
      "in a list on one line",
      (url: string) => ({
        "pyproject.toml": `[project]\nname = "shop"\ndependencies = ["idna", "lib @ ${url}@main"]\n`,
      }),
    ],
    [
      "as a source of uv",
      (url: string) => ({
        "pyproject.toml": `[project]\nname = "shop"\ndependencies = ["lib"]\n[tool.uv.sources]\nlib = { git = "${url.slice(4)}", branch = "main" }\n`,
      }),
    ],
    [
      "in its project",
      (url: string) => ({
        "pyproject.toml": `[project]\nname = "shop"\ndependencies = [\n  "lib @ ${url}@main",\n]\n`,
      }),
    ],
  ])("%s gets another environment when the branch moves, and the same one until then", async (_, write) => {
    const { remote, target } = await app(write);
    const before = await target("one");
    expect(await target("two")).toBe(before);
    commit(remote, { "lib.py": "two\n" });
    expect(await target("three")).not.toBe(before);
  });

  it("is installed as it is, with a note, where only uv can ask the remote", async () => {
    const { target, notes } = await app(() => ({ "requirements.txt": `lib @ git+file:///nowhere/\${TOKEN}@main\n` }));
    expect(await target("one")).toBe(await target("two"));
    expect(notes[0]).toMatch(/^note app shop: asking for the commit of main: .* it may hold an older commit$/);
  });

  it("fails where the branch is gone", async () => {
    const { target } = await app((url) => ({ "requirements.txt": `lib @ ${url}@gone\n` }));
    await expect(target("one")).rejects.toThrow(/^app shop: file:.* has no branch or tag gone; correct the reference/);
  });
});
