/**
 * Rows that look changed are counted: real granian processes, below a real Valgrind. Beside another load throughput may show
 * the change before any row is counted, so nothing runs beside this test.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findValgrind } from "../../../src/measure/instructions/valgrind.js";
import { readResults } from "../../../src/results/read.js";
import { app, runIn, scenarios } from "../../support/own-set.js";
import { sideFolders } from "../../support/side-folders.js";

const TIMEOUT_MS = 300_000;
const found = await findValgrind(process.env, { id: "tests", signal: new AbortController().signal });
const title = found.state === "found" ? "suspects" : `suspects (skipped: ${found.reason})`;

const { path, write } = sideFolders();

/** Each process spends another time in the kernel, up to a third of a request's: its work in user space is the same. */
function unsteadyApp(burn: number): string {
  const noise = `import os
NOISE = int.from_bytes(os.urandom(1), "big") * 40
`;
  return `${noise}${app(burn).replace("    body =", "    os.getrandom(NOISE)\n    body =")}`;
}

describe.skipIf(found.state === "missing")(title, () => {
  it("counts a row that looks changed and scatters too much for time to show it", { timeout: TIMEOUT_MS }, async () => {
    const sets = scenarios("unsteady");
    const base = write("base", { ...sets, "unsteady/app.py": unsteadyApp(0) });
    const head = write("head", { ...sets, "unsteady/app.py": unsteadyApp(600) });
    const args = ["mine", "--scenarios", join(head, "bench"), "--base", base, "--profile-rows", "none"];
    const { code, output, errors } = await runIn(head, path("out"), ...args);
    expect(code, output + errors).toBe(0);
    const { comparison } = await readResults(path("out/results.json"));
    const [row] = comparison?.rows ?? [];
    expect(row, output).toMatchObject({ verdict: "worse", basis: ["instructions"] });
    expect(comparison?.selectedMetrics).toBeUndefined();
    expect(row?.recorded?.length).toBeGreaterThanOrEqual(12);
    expect(readFileSync(path("out/report.md"), "utf8")).toContain(
      "They are counted where the pairs have not decided after 12 pairs",
    );
  });
});
