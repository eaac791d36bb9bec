/** What /proc shows of the action's environment. What a measured server finds there: security/tokens.test.ts. */
import { expect, test } from "vitest";
import { startAction } from "../support/action.js";

/** Prints at the end which variables /proc shows. */
const SHOWING = `
import { readFileSync } from "node:fs";
const names = () => readFileSync("/proc/self/environ", "utf8").split("\\0").map((entry) => entry.split("=")[0]);
process.on("exit", () => console.log("in /proc: " + names().join(" ")));
`;

test("no token, while the action itself has all of its inputs", async () => {
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(SHOWING)}` };
  const { stdout } = await startAction({ command: "bogus", token: "secret" }, { env }).ended;
  expect(stdout).toContain('::error::invalid command "bogus"');
  const shown = /^in \/proc: (.*)$/m.exec(stdout)?.[1]?.split(" ");
  expect(shown).toContain("PATH");
  expect(shown?.filter((name) => /TOKEN|^INPUT_/.test(name))).toEqual([]);
});
