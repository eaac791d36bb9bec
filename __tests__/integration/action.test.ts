/** The action's bundle as a runner starts it: inputs in the environment, outputs and summary in files. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readResults } from "../../src/results/read.js";
import { startAction } from "../support/action.js";
import { tempFolder } from "../support/cli.js";

test("measures, fills outputs and the step's summary", async () => {
  const action = startAction({
    scenarios: "interfaces/rsgi-bytes, interfaces/wsgi-echo",
    profile: "quick",
    out: "bench",
  });
  const { code, stdout } = await action.ended;
  expect(stdout).toMatch(/ok {3}interfaces\/wsgi-echo/);
  expect(code).toBe(0);
  expect(action.outputs).toMatchObject({
    ...{ "results-path": join(action.workspace, "bench", "results.json"), completed: "2", failed: "0" },
    ...{ verdict: "none", worse: "0", better: "0", "comment-url": "" },
  });
  expect(action.summary).toContain("| RSGI bytes (c");
  expect((await readResults(join(action.workspace, "bench", "results.json"))).cases).toHaveLength(2);
});

test("a wrong input fails the step before anything is started", async () => {
  const action = startAction({ scenarios: "interfcaes" });
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
  const action = startAction({ scenarios: "mine", profile: "quick", "scenarios-dir": folder });
  const { code, stdout } = await action.ended;
  expect(code).toBe(1);
  expect(stdout).toContain("leaks: []");
  const [, stopped = "", resumed = ""] = /::stop-commands::(\S+)\n[\s\S]*\n::(\S+)::\n/.exec(stdout) ?? [];
  expect(stopped).not.toBe("");
  expect(resumed).toBe(stopped);
  const outside = stdout.replace(/::stop-commands::(\S+)\n[\s\S]*\n::\1::\n/, "");
  expect(outside).not.toContain("add-path");
});
