/** `compare`, and what `run` says about its base before it starts anything. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { main } from "../../src/commands/main.js";
import { exitCodeOf, failedRows } from "../../src/commands/run/exit-code.js";
import { summaryOf } from "../../src/commands/summary.js";
import { annotationsOf } from "../../src/report/comment/annotations.js";
import { comparisonText } from "../../src/report/comparison/section.js";
import { claimsOf } from "../../src/report/trust/claims.js";
import type { Comparison, Verdict } from "../../src/results/comparison.js";
import type { FurtherMetrics, FurtherProblem } from "../../src/results/further-metrics.js";
import { formatResults } from "../../src/results/layout.js";
import { readResults } from "../../src/results/read.js";
import type { Results } from "../../src/results/schema.js";
import { pullRequestTrust } from "../support/comment.js";
import { baseRuns, headRun, sampleComparison } from "../support/comparison.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "server-bench-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function stored(name: string, results: Results): string {
  const file = join(folder, name);
  writeFileSync(file, formatResults(results));
  return file;
}

const COUNTED: FurtherMetrics["instructions"] = {
  ...{ state: "measured", source: "callgrind", version: "3.19.0", connections: 1, requests: 500 },
  rounds: [{ hashSeed: 1, seconds: 9, base: [1000, 1001], head: [1000, 1001] }],
};
const SAMPLED: FurtherMetrics["memory"] = {
  ...{ state: "measured", connections: 16, requests: 100 },
  pairs: [{ seconds: 9, head: { source: "pss", peakMiB: 20, samplesMiB: [19, 20] } }],
};
const FAILED_AS: readonly (readonly [string, (problem: FurtherProblem) => FurtherMetrics])[] = [
  ["was not counted", (problem) => ({ instructions: { state: "not-measured", ...problem } })],
  ["was not sampled", (problem) => ({ memory: { state: "not-measured", ...problem } })],
  ["was counted once", (problem) => ({ instructions: { ...COUNTED, stopped: problem } })],
  ["was sampled once", (problem) => ({ memory: { ...SAMPLED, stopped: problem } })],
];

const bases = baseRuns().map(({ results }, i) => stored(`base-${i}.json`, results));
const head = stored("head.json", headRun());
writeFileSync(join(folder, "cut.json"), readFileSync(head, "utf8").slice(0, -500));
writeFileSync(join(folder, "newer.json"), readFileSync(head, "utf8").replace('"version": 1', '"version": 2'));
writeFileSync(join(folder, "wrong.json"), readFileSync(head, "utf8").replace('"cpus": 2', '"cpus": "two"'));

async function invoke(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let [stdout, stderr] = ["", ""];
  const code = await main(argv, {
    ...{ root, cwd: folder, env: process.env },
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  return { code, stdout, stderr };
}

describe("compare", () => {
  it("prints the verdict", async () => {
    const { code, stdout } = await invoke("compare", ...bases, head, "--anchor", "uvicorn");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Compared with base: 1 of 4 benchmarks may be slower, by/);
  });

  it("prints JSON alone", async () => {
    const { stdout } = await invoke("compare", ...bases, head, "--server-under-test", "granian", "--json");
    const comparison = JSON.parse(stdout) as Comparison;
    expect(comparison).toMatchObject({ mode: "artifact", anchor: { servers: ["uvicorn"] } });
    const cli = relative(folder, join(root, "dist", "cli.js"));
    expect(comparison.command?.slice(0, 3)).toEqual(["node", cli, "compare"]);
    // The name of earlier versions.
    const earlier = await invoke("compare", ...bases, head, "--tested", "granian", "--json");
    expect(JSON.parse(earlier.stdout)).toEqual(comparison);
  });

  it("does not say that head had nothing to compare with", async () => {
    const { run, ...rest } = headRun();
    const pushed = { ...rest, run: { ...run, nothingToCompare: { kind: "event", reason: "this run is a push" } } };
    const out = join(folder, "pushed");
    const file = stored("pushed.json", pushed as Results);
    expect((await invoke("compare", ...bases, file, "--out", out)).code).toBe(0);
    for (const name of ["report.md", "index.html"])
      expect(readFileSync(join(out, name), "utf8")).not.toContain("Nothing to compare with");
  });

  it("refuses results without times", async () => {
    const { comparison: _, ...sample } = sampleComparison();
    const furtherMetrics = [{ id: "interfaces/a", title: "A", instructions: COUNTED }];
    const file = stored("counted.json", { ...sample, cases: [], furtherMetrics } as Results);
    const { code, stderr } = await invoke("compare", ...bases, file);
    expect(code).toBe(2);
    expect(stderr).toContain("counted.json: only instructions or memory were measured. Stored results are compared by");
  });

  it("writes head's results with the comparison, the report and the page", async () => {
    const out = join(folder, "out");
    expect((await invoke("compare", ...bases, head, "--out", out)).code).toBe(0);
    expect((await readResults(join(out, "results.json"))).comparison?.base.runs).toBe("3");
    expect(readFileSync(join(out, "report.md"), "utf8")).toContain("## Compared with base");
    expect(readFileSync(join(out, "index.html"), "utf8")).toMatch(
      /^<!doctype html>.*<h1>\d of \d benchmarks may .*, (?:by|up to) .*<\/h1>/s,
    );
  });

  it("says why files of another machine are not compared", async () => {
    const { environment, ...rest } = headRun();
    const other = stored("other.json", { ...rest, environment: { ...environment, cpuModel: "Xeon", cpus: 8 } });
    const { code, stdout } = await invoke("compare", bases[0] ?? "", other);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Not comparable with base\. Reason: CPU model: AMD Ryzen 7 5700X in base, Xeon in/);
    expect(stdout).toContain("Base: no stored run that can be used");
  });

  it.each([
    [[], "compare needs two results files or more, head last"],
    [["head.json"], "compare needs two results files or more"],
    [["no-such.json", "head.json"], "no-such.json: no such file; expected a results.json"],
    [["cut.json", "head.json"], "cut.json: the file ends in the middle"],
    [["newer.json", "head.json"], "newer.json: version: written by a newer server-bench"],
    [
      ["base-0.json", "head.json", "--anchor", "uvicron"],
      '--anchor uvicron: unknown server "uvicron"; did you mean "uvicorn"?',
    ],
  ])("%j: exit 2, and why", async (args, message) => {
    const { code, stdout, stderr } = await invoke("compare", ...args);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });
});

describe("run with a base", () => {
  const out = join(folder, "never");
  it.each([
    [["--base-results", "no-such.json"], "no-such.json: no such file"],
    [["--base-results", "cut.json"], "cut.json: the file ends in the middle"],
    [["--base-results", "newer.json"], "newer.json: version: written by a newer server-bench: version 2"],
    [["--base-results", "wrong.json"], 'wrong.json: environment.cpus: expected number, got "two"'],
    [["--base-results", "head.json", "--base-results", "cut.json"], "cut.json: the file ends in the middle"],
    [["--base-results", "head.json", "--anchor", "uvicorn"], '--anchor uvicorn: unknown server "uvicorn"'],
    [["--anchor", "granian"], "--anchor has no meaning without a comparison: give --base-results FILE"],
    [
      ["--base-results", "head.json", "--metrics", "instructions"],
      "--metrics instructions cannot be compared with stored results, which are compared by throughput and cpu: add one of them, or replace --base-results by --base REF",
    ],
    [
      ["--base-results", "head.json", "--confirm", "HEAD", "--metrics", "memory,latency"],
      "--metrics latency,memory cannot be compared with stored results",
    ],
    [["--fail-on", "worse"], "--fail-on worse needs something to compare with: give --base REF or --base-results FILE"],
  ])("%j: exit 2, nothing written", async (args, message) => {
    const { code, stderr } = await invoke("run", "interfaces/rsgi-bytes", ...args, "--out", out);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(existsSync(out)).toBe(false);
  });

  it("fails the gate on proof, not on a suspicion", () => {
    const sample = sampleComparison();
    expect(sample.comparison?.rows.map((row) => row.verdict)).toContain("suspect-worse");
    expect(exitCodeOf(sample, "worse")).toBe(0);
    const [row] = sample.comparison?.rows ?? [];
    const verdict: Verdict = "worse";
    const rows = row ? [{ ...row, verdict }] : [];
    const proven = { ...sample, comparison: { mode: "paired" as const, base: {}, rows } };
    expect(exitCodeOf(proven, "worse")).toBe(1);
    expect(exitCodeOf(proven, "never")).toBe(0);
  });

  it("fails the gate for a row that head starts otherwise, whatever its verdict", () => {
    const sample = sampleComparison();
    const [row] = sample.comparison?.rows ?? [];
    const verdict: Verdict = "better";
    const rows = row ? [{ ...row, verdict, started: "target main:app, main:tiny" }] : [];
    const started = { ...sample, comparison: { mode: "paired" as const, base: {}, rows } };
    expect(exitCodeOf(started, "worse")).toBe(1);
    expect(exitCodeOf(started, "never")).toBe(0);
  });

  describe.each(FAILED_AS)("a row that %s", (_, failedAs) => {
    const sample = { ...sampleComparison(), cases: headRun().cases.filter(({ state }) => state === "completed") };
    const inSide = (failedIn: "base" | "head"): Results => {
      const furtherMetrics = failedAs({ reason: "the server ended", failedIn });
      const rows = sample.comparison?.rows.slice(0, 1).map((row) => ({ ...row, ...furtherMetrics })) ?? [];
      return { ...sample, comparison: { mode: "paired", base: {}, rows } };
    };

    it("fails the gate where head failed, not where base did", () => {
      expect([exitCodeOf(inSide("base"), "failed"), failedRows(inSide("base"))]).toEqual([0, []]);
      expect([exitCodeOf(inSide("head"), "failed"), failedRows(inSide("head"))]).toEqual([1, ["interfaces/steady"]]);
      const { comparison: _, ...alone } = inSide("head");
      const furtherMetrics = [{ id: "work/a", title: "a", ...failedAs({ reason: "it ended", failedIn: "head" }) }];
      expect(exitCodeOf({ ...alone, furtherMetrics }, "failed")).toBe(1);
    });

    it("is named in the terminal, the summary, the headline, the annotations and what a foreign run may say", () => {
      const results = inSide("head");
      const text = comparisonText(results.comparison as Comparison, 300);
      expect(text).toMatch(/1 benchmark failed in head while instructions or memory were measured/);
      expect(text).toMatch(
        /- Failed in head while (?:instructions were counted|memory was sampled): .+: the server ended$/m,
      );
      expect(summaryOf(results, "r", "p").failed).toMatchObject([
        {
          id: "interfaces/steady",
          side: "head",
          reason: expect.stringMatching(/^(?:instructions|memory): the server ended$/),
        },
      ]);
      expect(annotationsOf(results)).toContainEqual(
        expect.objectContaining({ level: "warning", message: "the server ended" }),
      );
      const claims = claimsOf(results, pullRequestTrust("claimed", results)).results;
      expect(failedRows(claims)).toEqual(["interfaces/steady"]);
      expect(JSON.stringify(claims)).not.toContain("the server ended");
    });
  });

  it("counts a run as measured whose rows are all identical, and whose control was counted", () => {
    const { comparison, ...alone } = sampleComparison();
    const controls = comparison?.rows.slice(0, 1).map((row) => ({ ...row, instructions: COUNTED })) ?? [];
    const results: Results = { ...alone, cases: [], comparison: { mode: "paired", base: {}, rows: [], controls } };
    expect(exitCodeOf(results, "never")).toBe(0);
    expect(exitCodeOf({ ...results, comparison: { mode: "paired", base: {}, rows: [] } }, "never")).toBe(3);
  });

  it("sums the verdicts up", () => {
    expect(summaryOf(sampleComparison(), "r", "p").comparison).toMatchObject({
      verdicts: { "suspect-worse": 1, "suspect-better": 1, inconclusive: 2 },
      changed: [{ id: "interfaces/slower" }, { id: "interfaces/faster" }],
      notComparable: [],
    });
  });
});
