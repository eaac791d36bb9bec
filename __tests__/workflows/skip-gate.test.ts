/** The gate against skipped tests, seen from where CI stands: the exit code of vitest itself. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { MAY_SKIP_ON_CI } from "../support/skip-gate.js";
import { ROOT } from "../support/workflows.js";

let folder: string;
beforeEach(async () => {
  // Below the repository, so that vitest is found.
  folder = await mkdtemp(join(ROOT, "node_modules", ".skip-gate-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function vitestOn(test: string, ci: boolean): Promise<{ readonly code: number | null; readonly output: string }> {
  await writeFile(join(folder, "one.test.ts"), `import { expect, it } from "vitest";\n${test}\n`);
  await writeFile(
    join(folder, "vitest.config.ts"),
    `import { SkipGate } from "${ROOT}__tests__/support/skip-gate.js";
export default { test: { include: ["*.test.ts"], reporters: ["default", new SkipGate()] } };\n`,
  );
  const { CI: _, ...env } = process.env;
  const options = { cwd: folder, env: { ...env, ...(ci && { CI: "true" }) } };
  return new Promise((resolve) => {
    const args = [join(ROOT, "node_modules/vitest/vitest.mjs"), "run"];
    const child = execFile(process.execPath, args, options, (_error, stdout, stderr) =>
      resolve({ code: child.exitCode, output: stdout + stderr }),
    );
  });
}

it("fails a run on CI that skipped a test, and names it", async () => {
  const { code, output } = await vitestOn(
    'it("ran", () => expect(1).toBe(1)); it.skip("was left out", () => {});',
    true,
  );
  expect(output).toContain("one.test.ts: was left out");
  expect(code).toBe(1);
});

it("lets a run without skips pass, and one on a machine of one's own", async () => {
  expect((await vitestOn('it("ran", () => expect(1).toBe(1));', true)).code).toBe(0);
  expect((await vitestOn('it("ran", () => {}); it.skip("was left out", () => {});', false)).code).toBe(0);
});

it("knows only files that are there", () => {
  for (const { file } of MAY_SKIP_ON_CI) expect(existsSync(join(ROOT, file)), file).toBe(true);
});
