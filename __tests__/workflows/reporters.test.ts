/** The gate against skipped tests, and the list of second tries, seen from outside: vitest itself on a test file. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { MAY_SKIP } from "../support/skip-gate.js";
import { ROOT } from "../support/workflows.js";

/** @param options further ones of vitest, as source text */
async function vitestOn(test: string, options = "") {
  // Below the repository, so that vitest is found.
  const folder = await mkdtemp(join(ROOT, "node_modules", ".vitest-on-"));
  try {
    await writeFile(join(folder, "one.test.ts"), `import { expect, it } from "vitest";\n${test}\n`);
    await writeFile(
      join(folder, "vitest.config.ts"),
      `import { ClosingLines } from "${ROOT}__tests__/support/closing-lines.js";
import { SkipGate } from "${ROOT}__tests__/support/skip-gate.js";
const reporters = ["default", new SkipGate(), new ClosingLines()];
export default { test: { include: ["*.test.ts"], retry: 1, ${options} reporters } };\n`,
    );
    const args = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run"];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8" });
    return { code: status, output: stdout + stderr };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

it("fail a run that skipped a test, and name it", async () => {
  const { code, output } = await vitestOn('it("ran", () => expect(1).toBe(1)); it.skip("was left out", () => {});');
  expect(output).toMatch(/may not be skipped.*:\n {2}one\.test\.ts: was left out\n/);
  expect(output).toMatch(/^1 passed, 0 failed, 1 skipped$/m);
  expect(output).not.toContain("second try");
  expect(code).toBe(1);
});

it("let a run of tests that were named pass, and name one that passed at its second try, with the message of the first", async () => {
  const { code, output } = await vitestOn(
    `let tries = 0; it("comes and goes", () => { tries += 1; expect(tries).toBe(2); });
     it("goes on", () => expect(1).toBe(1)); it("was not named", () => {});`,
    'testNamePattern: "goes",',
  );
  expect(output).toContain(
    "These tests failed first and passed at their second try:\n  one.test.ts: comes and goes: expected 1 to be 2",
  );
  expect(output).not.toContain("one.test.ts: goes on");
  expect(output).toMatch(/^2 passed, 0 failed, 1 skipped$/m);
  expect(code).toBe(0);
});

it("list no test that fails twice as one that passed", async () => {
  const { code, output } = await vitestOn('it("never", () => expect(1).toBe(2));');
  expect(code).toBe(1);
  expect(output).not.toContain("second try");
});

it("know only files that are there", () => {
  for (const { file } of MAY_SKIP) expect(existsSync(join(ROOT, file)), file).toBe(true);
});
