/** The Python that servers run on where nobody names one: scripts that answer as Pythons do, on PATH and in the tool cache. */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { defaultPython, stepToAdd } from "../../../src/provision/environments/python.js";
import { requiredPythons } from "../../../src/provision/environments/python-check.js";
import { environmentSpec, type Provisioning, provisioning } from "../../support/provisioning.js";

async function python(path: string, version: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\necho '{"executable": "${path}", "version": "${version}"}'\n`);
  await chmod(path, 0o755);
}

/** @param onPath the version of python3; undefined: there is none */
async function machine(onPath: string | undefined, cached: readonly string[]): Promise<Provisioning> {
  const setup = await provisioning();
  const tools = join(setup.root, "tools");
  const context = { ...setup.context, env: { ...setup.context.env, RUNNER_TOOL_CACHE: tools } };
  if (onPath !== undefined) await python(join(setup.bin, "python3"), onPath);
  for (const version of cached) await python(join(tools, "Python", version, process.arch, "bin/python3"), version);
  return { ...setup, context };
}

const CACHED = ["3.9.18", "3.11.4", "3.12.9", "3.12.13", "3.15.0-alpha.2"];

it.each([
  ["the one on PATH, whatever the cache has", "3.11.7", [], "3.11.7"],
  ["one of the cache where PATH has none", undefined, [], "3.12.13"],
  ["one of the cache where that of PATH is too old", "3.9.2", [], "3.12.13"],
  ["one of the cache where the project refuses that of PATH", "3.11.7", [">=3.12"], "3.12.13"],
  ["one that all projects take", "3.13.1", ["<3.13", "<3.12"], "3.11.4"],
  ["the one on PATH where no other fits either: the installation says why", "3.11.7", [">=3.99"], "3.11.7"],
])("is %s", async (_, onPath, required, expected) => {
  const { context, progressLines } = await machine(onPath, CACHED);
  expect((await defaultPython(context, required)).version).toBe(expected);
  expect(progressLines.join()).toMatch(expected === onPath ? /^$/ : /^note .*the servers run on .*\/python3$/);
});

it.each([
  [
    undefined,
    /no python3 on PATH; .*in a workflow, add a step before this one: actions\/setup-python with python-version: "3\.14"$/,
  ],
  ["3.9.2", /is 3\.9\.2, and the servers need 3\.10 or newer: .*; in a workflow, add a step .*actions\/setup-python/],
])("is none where neither has one (PATH: %s), and the step to add is named", async (onPath, message) => {
  const { context } = await machine(onPath, ["3.9.18"]);
  await expect(defaultPython(context)).rejects.toThrow(message);
});

it("the step to add names a version that the project takes", () => {
  expect(stepToAdd([">=3.11,<3.13"])).toContain('"3.12"');
});

it("asks the project of an app, and the checkout that a server is built from", async () => {
  const { root } = await machine(undefined, []);
  const text = (required: string) => `[project]\nname = "x"\nrequires-python = "${required}"\n`;
  for (const [folder, required] of [
    ["server", ">=3.12"],
    ["app", "<3.14"],
  ] as const) {
    await mkdir(join(root, folder));
    await writeFile(join(root, folder, "pyproject.toml"), text(required));
  }
  const requires = [`six @ file://${encodeURI(join(root, "server"))}`, "uvloop==1"];
  const install = { app: "shop", folder: join(root, "app"), requirements: [], extras: [], groups: [], editable: false };
  expect(await requiredPythons(environmentSpec({ requires, install }))).toEqual(["<3.14", ">=3.12"]);
  await writeFile(join(root, "app", "pyproject.toml"), "[project\n");
  expect(await requiredPythons(environmentSpec({ requires, install }))).toEqual([">=3.12"]);
});
