/** 2,000 cases of one seed: the same ones every time. CI's job `reliability` has others, as does `npm run fuzz -- --seed N`. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ROOT } from "../support/workflows.js";

const CASES = 2000;
const LIMIT_MS = 20 * 60_000;
/** CPU seconds of a case. A runner can be several times slower than the machine on which one second is the limit. */
const CASE_SEC = 10;

it("finds nothing", { timeout: LIMIT_MS }, async () => {
  const args = [join(ROOT, "__tests__", "fuzz", "fuzz.mjs"), "--cases", String(CASES), "--limit-sec", String(CASE_SEC)];
  const { stdout, stderr } = await new Promise<{ stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, args, { timeout: LIMIT_MS, killSignal: "SIGTERM" }, (_, stdout, stderr) =>
      resolve({ stdout, stderr }),
    );
  });
  expect(stderr).toBe("");
  expect(stdout).toMatch(/^\d{4} cases of seed 1 in \d+ s: 0 findings$/m);
});
