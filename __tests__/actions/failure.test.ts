/** Why a step fails, and what the log says of it. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { explainFailure } from "../../src/actions/failure.js";
import { InputError, Interrupted, SetupError } from "../../src/errors.js";
import { invoke, tempFolder } from "../support/cli.js";

test("wrong input and a missing tool are one line, with the tool's own words in the log", () => {
  expect(explainFailure(new InputError("a.yml:1: no rows\na.yml:2: no title"))).toEqual({
    line: "a.yml:1: no rows; a.yml:2: no title",
    details: [],
  });
  expect(explainFailure(new SetupError("no uv", "curl: (6)\n\n  refused\n"))).toEqual({
    line: "no uv",
    details: ["curl: (6)", "  refused"],
  });
});

test("a cancelled job is no defect", () => {
  expect(explainFailure(new Interrupted("SIGTERM"))).toEqual({ line: "interrupted by SIGTERM", details: [] });
});

test("a defect keeps its stack", () => {
  const { line, details } = explainFailure(new TypeError("undefined is\nnot a function"));
  expect(line).toBe(
    "a defect of server-bench, please report it with the stack in the log: undefined is not a function",
  );
  expect(details.some((detail) => /^ +at .*failure\.test\.ts/.test(detail))).toBe(true);
  expect(explainFailure("thrown as text").line).toMatch(/: thrown as text$/);
});

test("the step prints a defect's stack as plain text, and fails with one line", async () => {
  const cwd = tempFolder();
  const env = {
    ...{ INPUT_COMMAND: "plan", INPUT_SHARDS: "2", INPUT_SCENARIOS: "interfaces", GITHUB_WORKSPACE: cwd },
    // A runner's file that is gone is nothing that the action expects; its name comes back in the message.
    ...{ CI: "true", RUNNER_TEMP: cwd, GITHUB_OUTPUT: join(cwd, "\n::add-path::", "output"), GITHUB_STEP_SUMMARY: "" },
  };
  const { code, stdout } = await invoke([], { entry: "action.js", cwd, env }).ended;
  expect(code).toBe(1);
  expect(stdout).toMatch(/^::error::a defect of server-bench, please report it with the stack in the log: .*output$/m);
  expect(stdout).toMatch(/^at .*\.js:\d+:\d+\)?$/m);
  expect(stdout).not.toMatch(/^\s*::add-path::/m);
});
