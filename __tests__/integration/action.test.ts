/** The action's bundle as a runner starts it: inputs in the environment, outputs and summary in files. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readResults } from "../../src/results/read.js";
import { invoke, tempFolder } from "../support/cli.js";

function runner(inputs: Readonly<Record<string, string>>) {
  const folder = tempFolder();
  const files = {
    GITHUB_OUTPUT: join(folder, "output"),
    GITHUB_STEP_SUMMARY: join(folder, "summary"),
    GITHUB_ENV: join(folder, "env"),
  };
  for (const file of Object.values(files)) writeFileSync(file, "");
  const workspace = join(folder, "work");
  mkdirSync(workspace);
  const named = Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
  );
  const action = invoke([], {
    entry: "action.js",
    cwd: workspace,
    env: { ...named, ...files, GITHUB_WORKSPACE: workspace, GITHUB_TOKEN: "secret" },
  });
  return { ...action, files, workspace };
}

test("measures, fills outputs and the step's summary", async () => {
  const action = runner({ scenarios: "interfaces/rsgi-bytes, interfaces/wsgi-echo", profile: "quick", out: "bench" });
  const { code, stdout } = await action.ended;
  expect(stdout).toMatch(/ok {3}interfaces\/wsgi-echo/);
  expect(code).toBe(0);
  const outputs = readFileSync(action.files.GITHUB_OUTPUT, "utf8");
  expect(outputs).toContain(join(action.workspace, "bench", "results.json"));
  expect(outputs).toMatch(/completed<<\S+\n2\n/);
  expect(readFileSync(action.files.GITHUB_STEP_SUMMARY, "utf8")).toContain("| RSGI bytes (c");
  expect((await readResults(join(action.workspace, "bench", "results.json"))).cases).toHaveLength(2);
});

test("a wrong input fails the step with the command line's own message", async () => {
  const action = runner({ scenarios: "interfcaes" });
  const { code, stdout } = await action.ended;
  expect(code).toBe(1);
  expect(stdout).toContain('::error::unknown scenario set "interfcaes"; did you mean "interfaces"?');
});

test("what a server prints is no workflow command, and it sees no token and no input", async () => {
  const folder = tempFolder();
  mkdirSync(join(folder, "app"));
  const app = [
    "import os, sys",
    "print('\\n::add-path::/evil\\n::error::boo')",
    "sys.stdout.flush()",
    "leaks = [n for n in os.environ if n.startswith(('INPUT_', 'GITHUB_', 'ACTIONS_'))]",
    "raise RuntimeError('leaks: %r' % leaks)",
  ];
  writeFileSync(join(folder, "app", "app.py"), `${app.join("\n")}\n`);
  writeFileSync(join(folder, "servers.yml"), "apps:\n  broken: { interface: rsgi, path: app }\n");
  writeFileSync(
    join(folder, "mine.yml"),
    "title: Mine\nrows:\n  - { title: Broken, app: broken, server: granian, request: bytes }\n",
  );
  const action = runner({ scenarios: "mine", profile: "quick", "scenarios-dir": folder });
  const { code, stdout } = await action.ended;
  expect(code).toBe(1);
  expect(stdout).toContain("leaks: []");
  const [, stopped = "", resumed = ""] = /::stop-commands::(\S+)\n[\s\S]*\n::(\S+)::\n/.exec(stdout) ?? [];
  expect(stopped).not.toBe("");
  expect(resumed).toBe(stopped);
  const outside = stdout.replace(/::stop-commands::(\S+)\n[\s\S]*\n::\1::\n/, "");
  expect(outside).not.toContain("add-path");
});
