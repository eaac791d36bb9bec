/** The gate against skipped tests, seen from outside: the exit code of vitest itself. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { MAY_SKIP } from "../support/skip-gate.js";
import { vitestOn } from "../support/vitest-on.js";
import { ROOT } from "../support/workflows.js";

const skipGateOn = (test: string, options = "") =>
  vitestOn(test, { reporter: "skip-gate", className: "SkipGate", ci: false, options });

it("fails a run that skipped a test, and names it", async () => {
  const { code, output } = await skipGateOn('it("ran", () => expect(1).toBe(1)); it.skip("was left out", () => {});');
  expect(output).toContain("one.test.ts: was left out");
  expect(code).toBe(1);
});

it("lets a run without skips pass, and one of tests that were named", async () => {
  expect((await skipGateOn('it("ran", () => expect(1).toBe(1));')).code).toBe(0);
  const named = await skipGateOn('it("ran", () => {}); it("was not named", () => {});', 'testNamePattern: "ran",');
  expect([named.code, named.output]).toEqual([0, expect.stringContaining("1 skipped")]);
});

it("knows only files that are there", () => {
  for (const { file } of MAY_SKIP) expect(existsSync(join(ROOT, file)), file).toBe(true);
});
