/** `run --base DIR` where base fails or is none. whole/pairs.test.ts has a base that is compared. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readResults } from "../../src/results/read.js";
import { runIn, waitingApp, waitingScenarios } from "../support/own-set.js";
import { sideFolders } from "../support/side-folders.js";

/** Three rows of four pairs, some 3 s each, and the installation. */
const TIMEOUT_MS = 300_000;

const { path, write } = sideFolders();

const OWN = waitingScenarios("slow", "steady", "same");
const SCENARIOS = { ...OWN, "bench/mine.yml": `${OWN["bench/mine.yml"]}` };

const run = (cwd: string, ...args: string[]) => runIn(cwd, path("out"), ...args);

describe("run --base DIR", () => {
  it("leaves head's own results whole when base does not start", { timeout: TIMEOUT_MS }, async () => {
    const files = { ...SCENARIOS, "steady/app.py": waitingApp(), "same/app.py": waitingApp() };
    const base = write("base", { ...files, "slow/app.py": "raise SystemExit('no')\n" });
    const head = write("head", { ...files, "slow/app.py": waitingApp() });
    const args = ["mine/slow", "--scenarios", join(head, "bench"), "--base", base, "--profile", "quick"];
    const { code, output, errors } = await run(head, ...args);
    expect(code, output + errors).toBe(0);
    const { comparison, cases } = await readResults(path("out/results.json"));
    expect(comparison?.notCompared).toMatchObject([{ id: "mine/slow", kind: "failed-in-base" }]);
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
    expect(comparison?.notCompared).toMatchObject([{ id: "mine/slow", kind: "failed-in-base" }]);
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
