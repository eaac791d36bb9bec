/** The gate against skipped tests, seen from where CI stands: the exit code of vitest itself. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { MAY_SKIP_ON_CI } from "../support/skip-gate.js";
import { vitestOn } from "../support/vitest-on.js";
import { ROOT } from "../support/workflows.js";

const skipGateOn = (test: string, ci: boolean) => vitestOn(test, { reporter: "skip-gate", className: "SkipGate", ci });

it("fails a run on CI that skipped a test, and names it", async () => {
  const { code, output } = await skipGateOn(
    'it("ran", () => expect(1).toBe(1)); it.skip("was left out", () => {});',
    true,
  );
  expect(output).toContain("one.test.ts: was left out");
  expect(code).toBe(1);
});

it("lets a run without skips pass, and one on a machine of one's own", async () => {
  expect((await skipGateOn('it("ran", () => expect(1).toBe(1));', true)).code).toBe(0);
  expect((await skipGateOn('it("ran", () => {}); it.skip("was left out", () => {});', false)).code).toBe(0);
});

it("knows only files that are there", () => {
  for (const { file } of MAY_SKIP_ON_CI) expect(existsSync(join(ROOT, file)), file).toBe(true);
});
