/** `run --metrics memory` with real granian processes: a leak of 100 bytes a request is found. compare/further-metrics/growth.test.ts has what is no leak. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readResults } from "../../../src/results/read.js";
import { app, runIn, scenarios } from "../../support/own-set.js";
import { sideFolders } from "../../support/side-folders.js";

const TIMEOUT_MS = 300_000;

const { path, write } = sideFolders();

/** @param more statements of each request */
const keeping = (more: string) => `
kept = []
${app(0).replace("    body =", `    ${more}\n    body =`)}`;

/** A bytes object of this length takes 100 bytes with its header. */
const LEAK = "kept.append(bytes(67 - 8))";

describe("run --metrics memory", () => {
  it("finds a leak of 100 bytes a request", { timeout: TIMEOUT_MS }, async () => {
    const sets = scenarios("leak");
    const base = write("base", { ...sets, "leak/app.py": keeping("pass") });
    const head = write("head", { ...sets, "leak/app.py": keeping(LEAK) });
    const args = ["mine", "--scenarios", join(head, "bench"), "--base", base, "--metrics", "memory"];
    const ends = ["--fail-on", "worse", "--profile-rows", "none"];
    const { code, output, errors } = await runIn(head, path("out"), ...args, ...ends);
    expect(code, output + errors).toBe(1);
    const { comparison, cases } = await readResults(path("out/results.json"));
    expect(cases).toEqual([]);
    const [leak] = comparison?.rows ?? [];
    expect(leak?.metrics.memoryGrowth).toMatchObject({ verdict: "worse" });
    expect(leak?.basis).toContain("memoryGrowth");
    // 100 bytes are 9.5 MiB in 100,000 requests.
    expect(leak?.metrics.memoryGrowth?.head).toBeGreaterThan(7);
    expect(leak?.metrics.memoryGrowth?.head).toBeLessThan(13);
    const report = readFileSync(path("out/report.md"), "utf8");
    expect(report).toContain("memory growth");
  });
});
