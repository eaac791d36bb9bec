/**
 * `run --metrics instructions` with real servers below a real Valgrind. Debian: apt-get install valgrind; without it
 * these tests are skipped.
 */
import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { findValgrind } from "../../src/measure/instructions/valgrind.js";
import { readResults } from "../../src/results/read.js";
import { app, runIn, tinyScenarios, waitingApp, waitingScenarios } from "../support/own-set.js";
import { sideFolders } from "../support/side-folders.js";

const TIMEOUT_MS = 300_000;
const found = await findValgrind(process.env, { id: "tests", signal: new AbortController().signal });
const title = found.state === "found" ? "instructions" : `instructions (skipped: ${found.reason})`;

const { path, write } = sideFolders();

describe.skipIf(found.state === "missing")(title, () => {
  it("finds more work in a pull request, and measures no time", { timeout: TIMEOUT_MS }, async () => {
    const sets = tinyScenarios("more", "steady");
    // Some 100 turns of an empty loop are 3 % of a request's work.
    const base = write("base", { ...sets, "more/app.py": app(0), "steady/app.py": app(0) });
    const head = write("head", { ...sets, "more/app.py": app(100), "steady/app.py": app(0, "# A comment") });
    const args = ["mine", "--scenarios", join(head, "bench"), "--base", base, "--metrics", "instructions"];
    const { code, output, errors } = await runIn(head, path("out"), ...args, "--fail-on", "worse");
    expect(code, output + errors).toBe(1);
    expect(output).toMatch(/^worse {2}mine\/more \(c16\) .*instructions per request \+\d/m);
    expect(output).toContain("2 with instructions or memory measured");
    const { comparison, cases } = await readResults(path("out/results.json"));
    expect(cases).toEqual([]);
    expect(comparison?.selectedMetrics).toEqual(["instructions"]);
    const [more, steady] = ["mine/more", "mine/steady"].map((id) => comparison?.rows.find((row) => row.id === id));
    expect(more).toMatchObject({ verdict: "worse", basis: ["instructions"], recorded: [] });
    expect(steady?.metrics.instructions).toMatchObject({ verdict: "unchanged" });
    const report = readFileSync(path("out/report.md"), "utf8");
    expect(report).toContain("instructions per request");
    expect(report).not.toContain("No benchmark of this set was measured");
  });

  it("counts first where a small change is looked for, and ends the pairs of a row that is proven worse", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const sets = waitingScenarios("more");
    const base = write("base", { ...sets, "more/app.py": waitingApp() });
    const head = write("head", { ...sets, "more/app.py": waitingApp("", 5, 200) });
    const args = [
      "mine",
      "--scenarios",
      join(head, "bench"),
      "--base",
      base,
      "--detect",
      "1",
      "--profile-rows",
      "none",
    ];
    const { code, output, errors } = await runIn(head, path("out"), ...args);
    expect(code, output + errors).toBe(0);
    const { comparison } = await readResults(path("out/results.json"));
    expect(comparison).toMatchObject({ selectedMetrics: ["throughput", "cpu", "instructions"], detect: 0.01 });
    const [row] = comparison?.rows ?? [];
    expect(row).toMatchObject({ verdict: "worse", metrics: { instructions: { verdict: "worse" } } });
    // The second test, and pairs that did not count.
    expect(row?.recorded?.length).toBeLessThan(18);
    expect(output).toContain("counting instructions of mine/more below Valgrind");
  });

  it("shows counts without verdicts where there is no base", { timeout: TIMEOUT_MS }, async () => {
    const head = write("head", { ...tinyScenarios("steady"), "steady/app.py": app(0) });
    const args = ["mine", "--scenarios", join(head, "bench"), "--metrics", "instructions"];
    const { code, output, errors } = await runIn(head, path("out"), ...args);
    expect(code, output + errors).toBe(0);
    const { comparison, furtherMetrics } = await readResults(path("out/results.json"));
    expect(comparison).toBeUndefined();
    expect(furtherMetrics).toMatchObject([
      { id: "mine/steady", instructions: { state: "measured", source: "callgrind" } },
    ]);
    expect(readFileSync(path("out/report.md"), "utf8")).toContain("## Instructions\n");
  });
});

describe("with a Valgrind that is too old", () => {
  afterEach(() => void vi.unstubAllEnvs());

  it("measures the other metrics, and says what to install", { timeout: TIMEOUT_MS }, async () => {
    const head = write("head", {
      ...tinyScenarios("steady"),
      "steady/app.py": app(0),
      "bin/valgrind": "#!/bin/sh\necho valgrind-3.9.0\n",
    });
    chmodSync(join(head, "bin/valgrind"), 0o755);
    vi.stubEnv("PATH", `${join(head, "bin")}:${process.env.PATH}`);
    const args = ["mine", "--scenarios", join(head, "bench"), "--metrics", "throughput,instructions"];
    const { code, output, errors } = await runIn(head, path("out"), ...args, "--profile", "quick");
    expect(code, output + errors).toBe(0);
    const { run, cases, furtherMetrics } = await readResults(path("out/results.json"));
    const reason = expect.stringMatching(/3\.9\.0 .* is older than 3\.18; install it with: apt install valgrind/);
    expect(cases).toMatchObject([{ id: "mine/steady", state: "completed" }]);
    expect(furtherMetrics).toMatchObject([{ id: "mine/steady", instructions: { state: "not-measured", reason } }]);
    expect(run.warnings).toContainEqual(reason);
  });
});
