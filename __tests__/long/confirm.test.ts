/** `run --base-results FILE --confirm REF` with real processes: suspicions are proven, or cleared, in pairs. */
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openDisplay } from "../../src/commands/display.js";
import { readStoredRuns } from "../../src/commands/run/against.js";
import { planHead } from "../../src/commands/run/head-plan.js";
import type { RunOptions } from "../../src/commands/run/options.js";
import { run } from "../../src/commands/run/run.js";
import { PAIRS_MIN } from "../../src/compare/looks.js";
import { USUAL_PRECISION } from "../../src/compare/precision.js";
import { findValgrind } from "../../src/measure/instructions/valgrind.js";
import { COMMAND_LINE } from "../../src/plan/option-names.js";
import { type BaseSource, findBase } from "../../src/provision/sides/sides.js";
import { formatResults } from "../../src/results/layout.js";
import { readResults } from "../../src/results/read.js";
import type { CaseResult, Results } from "../../src/results/schema.js";
import { app, ROOT, runIn, slowerApp, tinyScenarios, waitingApp, waitingScenarios } from "../support/own-set.js";
import { commit, git, newRepository, stateOf } from "../support/repository.js";

// A disturbed row is never suspect. What else runs on the machine is not what these tests are about.
vi.mock("../../src/measure/disturbance.js", async (load) => ({
  ...(await load<typeof import("../../src/measure/disturbance.js")>()),
  isDisturbed: () => false,
}));

// The first pairs of a row decide: what later ones do is tried without servers.
vi.mock("../../src/compare/looks.js", async (load) => {
  const looks = await load<typeof import("../../src/compare/looks.js")>();
  return { ...looks, LOOKS: looks.looksAt({ [looks.PAIRS_MIN]: 1 }, 0.0125) };
});

/** Four rows alone and two of them in pairs, some 3 s each, and the installation. */
const TIMEOUT_MS = 300_000;
const valgrind = await findValgrind(process.env, { id: "tests", signal: new AbortController().signal });
const counting = `have their work counted in pairs too${valgrind.state === "missing" ? ` (skipped: ${valgrind.reason})` : ""}`;
const ARGS = ["--scenarios", "bench", "--profile", "quick"];
/** A row `same` of a built-in app beside the own ones: no commit changes it. A set of its own has the row `busy`. */
function withBuiltIn(...apps: readonly string[]): Record<string, string> {
  return {
    ...waitingScenarios(...apps, "busy"),
    "bench/mine.yml": `${waitingScenarios(...apps)["bench/mine.yml"]}  - { title: same, app: asgi, server: granian, request: str }\n`,
    // Below Valgrind requests that wait take minutes.
    "bench/busy.yml": `${tinyScenarios("busy")["bench/mine.yml"]}`,
  };
}

let temp: string;
let checkout: string;
let baseSha: string;
beforeAll(async () => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
  checkout = newRepository(join(temp, "checkout"));
  const waiting = { "slow/app.py": waitingApp(), "edited/app.py": waitingApp(), "fresh/app.py": waitingApp() };
  const apps = { ...waiting, "busy/app.py": app(0) };
  baseSha = commit(checkout, { ...apps, ...withBuiltIn("slow", "edited") });
  const head = {
    ...{ "slow/app.py": slowerApp(), "edited/app.py": waitingApp("# A comment") },
    "busy/app.py": app(500),
  };
  commit(checkout, { ...head, ...withBuiltIn("slow", "edited", "fresh") });
  await storeFaster("stored.json", "mine");
}, TIMEOUT_MS);
afterAll(() => rmSync(temp, { recursive: true, force: true }));

/** What a run of the set finds, as if all rows had been three times as fast on the day before. */
async function storeFaster(name: string, set: string): Promise<string> {
  const { code, output, errors } = await runIn(checkout, join(temp, set), set, ...ARGS);
  expect(code, output + errors).toBe(0);
  const measured = await readResults(join(temp, set, "results.json"));
  return store(name, { ...measured, cases: measured.cases.map((result) => faster(result, 3)) });
}

function store(name: string, results: Results): string {
  writeFileSync(join(temp, name), formatResults({ ...results, run: { ...results.run, id: name } }));
  return join(temp, name);
}

function faster(result: CaseResult, times: number): CaseResult {
  if (result.state !== "completed") return result;
  const { requestsPerSec, cpuPerRequestUs } = result.summary;
  const summary = {
    ...result.summary,
    requestsPerSec: requestsPerSec * times,
    cpuPerRequestUs: cpuPerRequestUs / times,
  };
  return { ...result, summary };
}

const baseNamed = (given: string) => findBase(given, checkout, "folder-or-commit", "base");

/** A run as the action starts it: a base that cannot be had leaves head's results whole. */
async function confirmWith(source: BaseSource, out: string, selector: string, onPair = () => {}) {
  let output = "";
  const stdout = { write: (text: string) => (output += text) };
  const options: RunOptions = {
    ...{ selectors: [selector], profile: "quick", out: join(temp, out), scenarios: join(checkout, "bench") },
    ...{ servers: [], failOn: "worse", profileRows: { kind: "none" } },
  };
  const context = {
    root: ROOT,
    cwd: checkout,
    env: { ...process.env, CI: "1", RUNNER_TEMP: temp },
    stdout,
    stderr: stdout,
  };
  const display = openDisplay(stdout, { CI: "1" });
  display.pairStarted = onPair;
  const stored = { runs: await readStoredRuns([join(temp, "stored.json")], checkout), anchors: [], facts: {} };
  const base = { source, budgetMinutes: undefined, latency: false, precision: USUAL_PRECISION };
  const request = {
    ...options,
    against: { kind: "storedThenPaired", stored, base } as const,
    head: await planHead(options, COMMAND_LINE, context, display.setup),
    ...{ notes: [], command: ["server-bench", "run"] },
  };
  const { exitCode, written } = await run(request, context, display);
  return { exitCode, output, cases: written?.results.cases, comparison: written?.results.comparison };
}

describe("rows that may have changed since the stored results", () => {
  it("are measured in pairs before they are reported", { timeout: TIMEOUT_MS }, async () => {
    const before = stateOf(checkout);
    const out = join(temp, "out");
    const base = ["--base-results", join(temp, "stored.json"), "--confirm", "HEAD~1"];
    const ends = ["--fail-on", "worse", "--profile-rows", "none"];
    const { code, output, errors } = await runIn(checkout, out, "mine", ...ARGS, ...base, ...ends);
    expect(code, output + errors).toBe(1);
    expect(output).toMatch(/^4 benchmarks may have changed since the stored results: measuring in pairs with HEAD~1$/m);
    expect(output).toMatch(/^worse {2}mine\/slow \(c16\) .* pairs, \d+ s$/m);
    const results = await readResults(join(out, "results.json"));
    const { comparison, cases } = results;
    expect(comparison).toMatchObject({ mode: "artifact", confirmedWith: { ref: "HEAD~1", sha: baseSha } });
    const rows = new Map(comparison?.rows.map((row) => [row.id, row]));
    expect(rows.get("mine/slow")).toMatchObject({ verdict: "worse", confirmation: { state: "paired" } });
    expect(rows.get("mine/slow")?.recorded?.length).toBeGreaterThanOrEqual(PAIRS_MIN);
    expect(rows.get("mine/edited")?.confirmation?.state).toBe("paired");
    // Whatever the noise of this machine makes of it: it is the verdict of pairs, no suspicion.
    expect(rows.get("mine/edited")?.verdict).not.toMatch(/^suspect/);
    expect(rows.get("mine/same")).toMatchObject({
      verdict: "inconclusive",
      confirmation: { state: "cannot-have-changed" },
    });
    expect(rows.get("mine/fresh")).toMatchObject({
      verdict: "suspect-worse",
      confirmation: { state: "not-confirmed", reason: "base has no such row" },
    });
    // Head's own figures are those of its run alone, one window each; pairs add base's cases.
    const head = cases.filter(({ side }) => side === "head");
    expect(head.map((result) => result.state === "completed" && result.slices.length)).toEqual([1, 1, 1, 1]);
    expect(
      cases
        .filter(({ side }) => side === "base")
        .map(({ id }) => id)
        .sort(),
    ).toEqual(["mine/edited", "mine/slow"]);
    expect(stateOf(checkout)).toBe(before);
    expect(readFileSync(join(out, "report.md"), "utf8")).toMatch(/\*\*[12] of 4 benchmarks .*1 may /s);
  });

  it.skipIf(valgrind.state === "missing")(counting, { timeout: TIMEOUT_MS }, async () => {
    const out = join(temp, "counted");
    const stored = await storeFaster("busy.json", "busy");
    const base = ["--base-results", stored, "--confirm", "HEAD~1", "--budget", "1"];
    const metrics = ["--metrics", "throughput,cpu,instructions", "--profile-rows", "none"];
    const { code, output, errors } = await runIn(checkout, out, "busy", ...ARGS, ...base, ...metrics);
    expect(code, output + errors).toBe(0);
    const { comparison } = await readResults(join(out, "results.json"));
    expect(comparison?.rows, output).toMatchObject([
      {
        ...{ id: "busy/busy", verdict: "worse", confirmation: { state: "paired" } },
        instructions: { state: "measured" },
        metrics: { instructions: { verdict: "worse" } },
      },
    ]);
    expect(readFileSync(join(out, "report.md"), "utf8")).toContain("instructions per request +");
  });

  it("stay suspect where base cannot be had, and head's results are whole", { timeout: TIMEOUT_MS }, async () => {
    const sha = "0".repeat(40);
    const gone: BaseSource = {
      kind: "commit",
      ...{ asked: `base ${sha}`, given: sha, ref: sha, sha, repository: checkout, notes: [] },
    };
    const { exitCode, output, cases, comparison } = await confirmWith(gone, "none", "mine/same");
    expect(exitCode, output).toBe(0);
    expect(cases).toMatchObject([{ side: "head", state: "completed" }]);
    const reason = expect.stringMatching(/^base 0{40}: cannot check out 0{40}: /);
    expect(comparison?.rows).toMatchObject([
      { id: "mine/same", verdict: "suspect-worse", confirmation: { state: "not-confirmed", reason } },
    ]);
    expect(comparison?.notes?.at(-1)).toMatch(
      /^Suspected benchmarks could not be measured in pairs: base 0{40}: cannot/,
    );
    expect(existsSync(join(temp, "none/report.md"))).toBe(true);
  });

  it("stay suspect where base fails, with the reason", { timeout: TIMEOUT_MS }, async () => {
    git(checkout, "checkout", "--quiet", "-b", "broken", "HEAD~1");
    commit(checkout, { "slow/app.py": "raise SystemExit('no')\n" });
    git(checkout, "checkout", "--quiet", "main");
    const { exitCode, output, cases, comparison } = await confirmWith(await baseNamed("broken"), "broken", "mine/slow");
    expect(exitCode, output).toBe(0);
    expect(comparison?.rows).toMatchObject([
      {
        verdict: "suspect-worse",
        confirmation: { state: "not-confirmed", reason: expect.stringMatching(/^base failed: /) },
      },
    ]);
    expect(cases).toMatchObject([
      { side: "head", state: "completed" },
      { side: "base", state: "failed", log: expect.stringContaining("no") },
    ]);
  });

  it("stay suspect when the run is interrupted meanwhile", { timeout: TIMEOUT_MS }, async () => {
    const interrupt = () => void process.emit("SIGINT", "SIGINT");
    const { exitCode, output, cases, comparison } = await confirmWith(
      await baseNamed("HEAD~1"),
      "interrupted",
      "mine/slow",
      interrupt,
    );
    expect(exitCode, output).toBe(130);
    expect(cases).toMatchObject([{ side: "head", state: "completed" }]);
    expect(comparison?.rows).toMatchObject([
      { verdict: "suspect-worse", confirmation: { state: "not-confirmed", reason: "the run ended before it" } },
    ]);
  });

  it("are none where the stored run is of another machine", { timeout: TIMEOUT_MS }, async () => {
    const stored = await readResults(join(temp, "stored.json"));
    const file = store("other.json", { ...stored, environment: { ...stored.environment, cpuModel: "Z80" } });
    const args = ["mine/same", ...ARGS, "--base-results", file, "--confirm", "HEAD~1", "--fail-on", "worse"];
    const { code, output } = await runIn(checkout, join(temp, "other"), ...args);
    expect(code).toBe(0);
    expect(output).toMatch(/Not comparable with base\. Reason: CPU model: Z80 in base/);
    expect(output).not.toContain("in pairs");
    expect((await readResults(join(temp, "other/results.json"))).cases).toHaveLength(1);
  });
});
