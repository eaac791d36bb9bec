/** `run --base DIR` with real processes: an app that takes longer is called worse, one with another comment is not. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { judgePaired } from "../../src/compare/paired.js";
import { readResults } from "../../src/results/read.js";
import { runIn, slowerApp, waitingApp, waitingScenarios } from "../support/own-set.js";
import { pairedRow } from "../support/pairs.js";
import { sideFolders } from "../support/side-folders.js";

/** Three rows of four pairs, some 3 s each, and the installation. */
const TIMEOUT_MS = 300_000;
/** Minutes: room for the first pairs of three rows where a pair takes 10 s, three times the usual time. */
const BUDGET = "2";

const { path, write } = sideFolders();

const OWN = waitingScenarios("slow", "steady", "same");
const SCENARIOS = { ...OWN, "bench/mine.yml": `${OWN["bench/mine.yml"]}  - { title: same again, app: same }\n` };

const run = (cwd: string, ...args: string[]) => runIn(cwd, path("out"), ...args);

describe("run --base DIR", () => {
  it("finds what is slower, and what is not", { timeout: TIMEOUT_MS }, async () => {
    const common = { ...SCENARIOS, "same/app.py": waitingApp() };
    const base = write("base", { ...common, "slow/app.py": waitingApp(), "steady/app.py": waitingApp() });
    const changed = { "slow/app.py": slowerApp(), "steady/app.py": waitingApp("# A comment") };
    const head = write("head", { ...common, ...changed });
    const args = ["mine", "--scenarios", join(head, "bench"), "--base", base, "--budget", BUDGET, "--fail-on", "worse"];
    // That the slower row is sampled without being asked for is in action-pairs.test.ts.
    const { code, output, errors } = await run(head, ...args, "--profile-rows", "none");
    expect(code, output + errors).toBe(1);
    expect(output).toMatch(/^worse {2}mine\/slow \(c16\) .* pairs, \d+ s$/m);
    const { comparison, cases, sets } = await readResults(path("out/results.json"));
    expect(sets[0]?.methodology.at(-1)).toMatch(/^Rows with a base are measured in pairs instead/);
    const verdicts = Object.fromEntries((comparison?.rows ?? []).map((row) => [row.id, row.verdict]));
    expect(verdicts["mine/slow"]).toBe("worse");
    // A verdict on the steady row would depend on the noise of this machine; its size does not reach that of the slow one.
    const change = (id: string) => comparison?.rows.find((row) => row.id === id)?.metrics.throughput?.change ?? 0;
    expect(Math.abs(change("mine/steady"))).toBeLessThan(-change("mine/slow") / 2);
    expect(comparison?.controls?.map(({ id, verdict }) => [id, verdict])).toEqual([["mine/same", "inconclusive"]]);
    expect(comparison?.apart).toMatchObject([{ id: "mine/same-again", kind: "cannot-have-changed" }]);
    const states = cases.map(({ id, side, state }) => `${id} ${side} ${state}`).sort();
    expect(states).toEqual([
      "mine/same base completed",
      "mine/same head completed",
      "mine/same-again head skipped",
      "mine/slow base completed",
      "mine/slow head completed",
      "mine/steady base completed",
      "mine/steady head completed",
    ]);
    const rows = (comparison?.rows ?? []).map((row) =>
      pairedRow(row.id, row.recorded ?? [], {
        clientBound: row.notes?.some((note) => /^client/.test(note)) ?? false,
        // Earlier runs on this machine have a part in it.
        expectedNoise: row.expectedNoise,
        ended: true,
      }),
    );
    // Anyone can make the same decision from what was recorded.
    expect(judgePaired(rows).map(({ compared }) => [compared.id, compared.verdict])).toEqual(Object.entries(verdicts));
    const report = readFileSync(path("out/report.md"), "utf8");
    expect(report).toContain("Control row, identical on both sides");
    expect(report).toContain("Identical on both sides, not measured");
  });

  it("leaves head's own results whole when base does not start", { timeout: TIMEOUT_MS }, async () => {
    const files = { ...SCENARIOS, "steady/app.py": waitingApp(), "same/app.py": waitingApp() };
    const base = write("base", { ...files, "slow/app.py": "raise SystemExit('no')\n" });
    const head = write("head", { ...files, "slow/app.py": waitingApp() });
    const args = ["mine/slow", "--scenarios", join(head, "bench"), "--base", base, "--profile", "quick"];
    const { code, output, errors } = await run(head, ...args);
    expect(code, output + errors).toBe(0);
    const { comparison, cases } = await readResults(path("out/results.json"));
    expect(comparison?.apart).toMatchObject([{ id: "mine/slow", kind: "failed-in-base" }]);
    expect(comparison?.rows).toEqual([]);
    expect(cases.map(({ side, state }) => [side, state])).toEqual([
      ["base", "failed"],
      ["head", "completed"],
    ]);
  });

  it("keeps what pairs measured of head when base fails in a later one", { timeout: TIMEOUT_MS }, async () => {
    const results = path("out/results.json");
    const failing = `import pathlib\nif '"head"' in pathlib.Path(${JSON.stringify(results)}).read_text():\n    raise SystemExit("not again")\n`;
    const files = { ...SCENARIOS, "steady/app.py": waitingApp(), "same/app.py": waitingApp() };
    const base = write("base", { ...files, "slow/app.py": `${failing}${waitingApp()}` });
    const head = write("head", { ...files, "slow/app.py": waitingApp() });
    const { code, output, errors } = await run(head, "mine/slow", "--scenarios", join(head, "bench"), "--base", base);
    expect(code, output + errors).toBe(0);
    const { comparison, cases } = await readResults(results);
    expect(comparison?.apart).toMatchObject([{ id: "mine/slow", kind: "failed-in-base" }]);
    expect(cases.map(({ side, state }) => [side, state])).toEqual([
      ["base", "failed"],
      ["head", "completed"],
    ]);
  });
});

describe("a base that is none", () => {
  it.each([
    [["--base", "nowhere"], /--base nowhere: neither a folder nor a commit/],
    [["--base", "../bare"], /--base \.\.\/bare has no folder bench$/m],
    [["--base", "../other"], /--base \.\.\/other has none of the rows that were selected \(mine\)/],
    [
      ["--base", "../loaded"],
      /the load of the selected rows \(mine\) is another one than that of --base \.\.\/loaded: mine\/slow: it differs in connections, /,
    ],
    [["--base", "../other", "--base-results", "x.json"], /--base and --base-results exclude each other/],
    [["--budget", "5"], /--budget has no meaning without a base/],
    [["--base", "../other", "--budget", "soon"], /invalid --budget "soon": give minutes/],
    [["--fail-on", "worse"], /--fail-on worse needs something to compare with: give --base REF/],
  ])("%j", async (given, message) => {
    const apps = { "slow/app.py": waitingApp(), "steady/app.py": waitingApp(), "same/app.py": waitingApp() };
    const head = write("head", { ...SCENARIOS, ...apps });
    write("bare", apps);
    write("other", {
      ...SCENARIOS,
      ...apps,
      "bench/mine.yml": SCENARIOS["bench/mine.yml"].replaceAll("title: s", "title: x"),
    });
    write("loaded", {
      ...SCENARIOS,
      ...apps,
      "bench/mine.yml": SCENARIOS["bench/mine.yml"].replace("connections: 16", "connections: 32"),
    });
    const { code, errors } = await run(head, "mine", "--scenarios", join(head, "bench"), ...given);
    expect(errors).toMatch(message);
    expect(code).toBe(2);
    expect(existsSync(path("out"))).toBe(false);
  });
});
