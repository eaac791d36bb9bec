/** `plan`, and `report` over shards, through the command line from the sources. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { main } from "../../src/commands/main.js";
import { planShards } from "../../src/commands/plan.js";
import type { Matrix } from "../../src/plan/matrix.js";
import { formatResults } from "../../src/results/layout.js";
import { readPlanFile } from "../../src/results/plan-file.js";
import { readResults } from "../../src/results/read.js";
import type { Results } from "../../src/results/schema.js";
import { SERVERS, scenarioFolder } from "../support/scenarios.js";
import { pairedShard } from "../support/shards.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "server-bench-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function invoke(...argv: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  let [stdout, stderr] = ["", ""];
  const code = await main(argv, {
    ...{ root, cwd: folder, env: process.env },
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  return { code, stdout, stderr };
}

describe("plan --json", () => {
  it("prints the matrix on one line, and nothing else", async () => {
    const { code, stdout, stderr } = await invoke("plan", "interfaces", "--shards", "3", "--json");
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.trimEnd().split("\n")).toHaveLength(1);
    const { include } = JSON.parse(stdout) as Matrix;
    expect(include.map(({ shard, name }) => [shard, name])).toEqual([
      ["1/3", "1-of-3"],
      ["2/3", "2-of-3"],
      ["3/3", "3-of-3"],
    ]);
    for (const { minutes, scenarios } of include) {
      expect(minutes).toBeCloseTo(4);
      expect(scenarios).toMatch(/^interfaces\/[a-z0-9*,/-]+$/);
    }
    expect((await invoke("plan", "interfaces", "--shards", "3", "--json")).stdout).toBe(stdout);
  });

  it("takes what run takes by default, and a whole set by its name", async () => {
    const { stdout } = await invoke("plan", "--shards=1", "--json");
    expect(JSON.parse(stdout)).toEqual({
      include: [{ shard: "1/1", name: "1-of-1", scenarios: "interfaces", minutes: 12 }],
    });
  });

  it("takes all sets of one's own where none is named", async () => {
    const own = await scenarioFolder({
      "mine.yml": "title: Mine\nrows: [{ title: A, server: uvicorn, interface: asgi, request: get-10k }]",
    });
    const { stdout } = await invoke("plan", "--scenarios", own, "--shards", "1", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ include: [{ scenarios: "mine" }] });
  });

  it("knows the profile", async () => {
    const { stdout } = await invoke("plan", "--shards", "1", "--profile", "quick", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ include: [{ minutes: 0.7 }] });
  });

  it("says on stderr when there are fewer rows than shards", async () => {
    const { stdout, stderr } = await invoke("plan", "interfaces/rsgi-bytes,http2", "--shards", "9", "--json");
    const { include } = JSON.parse(stdout) as Matrix;
    expect(stderr).toBe(`server-bench: ${include.length} benchmarks for 9 shards: ${include.length} shards\n`);
    expect(include.length).toBeLessThan(9);
  });

  it("plans the user's own scenarios, and one server's version", async () => {
    const own = await scenarioFolder({
      "mine.yml":
        "title: Mine\ndefaults: { server: fast, request: hello }\nrows:\n  - { title: A, interface: asgi }\n  - { title: B, interface: wsgi }\n",
      "servers.yml": SERVERS.replace("  asgi: {", "  own-asgi: {")
        .replace("  wsgi: {", "  own-wsgi: {")
        .replace("hello:", "own-hello:")
        .replace("echo:", "own-echo:"),
    });
    writeFileSync(
      join(own, "mine.yml"),
      "title: Mine\ndefaults: { server: fast, request: own-hello }\nrows:\n  - { title: A, app: own-asgi }\n  - { title: B, app: own-wsgi }\n",
    );
    const { code, stdout, stderr } = await invoke(
      "plan",
      "mine",
      "--shards",
      "2",
      "--scenarios",
      own,
      "--server",
      "fast=2.0",
      "--json",
    );
    rmSync(own, { recursive: true });
    expect(stderr).toBe("");
    expect(code).toBe(0);
    expect((JSON.parse(stdout) as Matrix).include.map(({ scenarios }) => scenarios)).toEqual(["mine/a", "mine/b"]);
  });
});

describe("plan", () => {
  it("prints a table", async () => {
    const { stdout } = await invoke("plan", "interfaces", "vs-wsgi", "--shards", "2");
    expect(stdout).toMatch(
      /^\d+ benchmarks in 2 shards: .* side by side instead of .* \(profile standard, without set-up\)\.\n\nShard {2}Minutes {2}Rows/,
    );
    expect(stdout).toMatch(/\n1\/2 {4}\d+\.\d {6}\d+ +\d+ +interfaces/);
  });

  it("writes the plan for report", async () => {
    const file = join(folder, "deep", "plan.json");
    await invoke("plan", "interfaces", "--shards", "2", "--plan", "deep/plan.json", "--json");
    const { shards } = await readPlanFile(file);
    await invoke("plan", "interfaces", "--shards", "1", "--plan", "whole.json", "--json");
    const whole = await readPlanFile(join(folder, "whole.json"));
    const rows = (of: typeof shards) => of.flatMap((shard) => shard.rows).toSorted();
    expect(rows(shards)).toEqual(rows(whole.shards));
    expect(rows(shards)).toContain("interfaces/asgi-bytes");
    expect(shards.map((shard) => shard.name)).toEqual(["1-of-2", "2-of-2"]);
  });

  it("says which rows another machine would not know", async () => {
    const { stderr, stdout } = await invoke("plan", "concurrency", "--shards", "2", "--cores", "16", "--json");
    expect(stderr).toBe(
      "server-bench: the rows of concurrency follow the machine's CPUs: this plan is for machines with 16; give --cores for others\n",
    );
    const other = await invoke("plan", "concurrency", "--shards", "2", "--cores", "2", "--json");
    expect(other.stdout).not.toBe(stdout);
  });

  it.each([
    [[], "plan needs --shards N: how many jobs may measure"],
    [["--shards", "0"], 'invalid --shards "0": give a whole number from 1 to 256'],
    [["--shards", "257"], 'invalid --shards "257"'],
    [["--shards", "many"], 'invalid --shards "many"'],
    [["--shards", "2", "--cores", "none"], 'invalid --cores "none"'],
    [["--shards", "2", "--profile", "quik"], 'did you mean "quick"?'],
    [["interfcaes", "--shards", "2"], 'unknown scenario set "interfcaes"; did you mean "interfaces"?'],
    [
      ["interfaces/rsgi-byte", "--shards", "2"],
      'unknown row "interfaces/rsgi-byte"; did you mean "interfaces/rsgi-bytes"?',
    ],
    [["--shards", "2", "--scenarios", "no-such"], "no such folder"],
    [["--shards", "2", "--server", "nope=1"], 'unknown server "nope"'],
  ])("%j: exit 2, and why", async (args, message) => {
    const { code, stdout, stderr } = await invoke("plan", ...args);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  });

  it("gives the action what it needs", async () => {
    const options = { selectors: [], profile: "standard", servers: [], shards: 300 };
    const host = { root, cwd: folder, env: {}, stdout: { write: () => {} }, stderr: { write: () => {} } };
    await expect(planShards(options, host)).rejects.toThrow('invalid --shards "300"');
    const planned = await planShards({ ...options, selectors: ["interfaces"], shards: 2 }, host);
    expect(planned.file.shards.map((shard) => shard.shard)).toEqual(planned.matrix.include.map((entry) => entry.shard));
    expect(planned.markdown).toMatch(/^18 benchmarks in 2 shards.*\n\n\| Shard/);
  });
});

describe("run --shard", () => {
  it.each(["5/4", "0/1", "2", "1/300"])("%s: exit 2, nothing written", async (text) => {
    const { code, stderr } = await invoke("run", "interfaces/rsgi-bytes", "--shard", text, "--out", "never");
    expect(stderr).toContain(`invalid --shard "${text}": write its number and how many there are, up to 256: 2/4`);
    expect(code).toBe(2);
    expect(existsSync(join(folder, "never"))).toBe(false);
  });
});

describe("report over shards", () => {
  const stored = (name: string, results: Results) => {
    writeFileSync(join(folder, name), formatResults(results));
    return name;
  };
  const first = stored("1.json", pairedShard(1, 2, ["interfaces/rsgi-bytes", "interfaces/rsgi-str"]));
  const plan = {
    ...{ schema: "server-bench/plan", version: 1 },
    shards: [
      { shard: "1/2", name: "1-of-2", rows: ["interfaces/rsgi-bytes", "interfaces/rsgi-str"], minutes: 1 },
      { shard: "2/2", name: "2-of-2", rows: ["interfaces/asgi-echo"], minutes: 1 },
    ],
  };
  writeFileSync(join(folder, "plan.json"), JSON.stringify(plan));

  it("names a missing shard and its rows, warns, and ends well", async () => {
    const { code, stdout, stderr } = await invoke("report", first, "--plan", "plan.json", "--out", "a");
    expect(code).toBe(0);
    expect(stdout).toMatch(/^merged 1 results file, 4 cases: /);
    expect(stderr).toMatch(
      /^server-bench: warning: shard 2\/2: it left no results: .*; 1 benchmark not measured: interfaces\/asgi-echo\n$/,
    );
    expect(readFileSync(join(folder, "a", "report.md"), "utf8")).toMatch(
      /## Not measured\n\n- Shard 2\/2: .*`interfaces\/asgi-echo`/,
    );
    expect((await readResults(join(folder, "a", "results.json"))).run.missing).toMatchObject([{ shard: "2/2" }]);
  });

  it("knows the number of a missing shard without the plan", async () => {
    const { stdout, stderr } = await invoke("report", first, "--out", "b", "--json");
    expect(stderr).toContain("warning: shard 2/2: it left no results");
    expect(JSON.parse(stdout)).toMatchObject({ rows: { completed: 2 }, missing: [{ shard: "2/2", rows: [] }] });
  });

  it("is silent where nothing is missing", async () => {
    const second = stored("2.json", pairedShard(2, 2, ["interfaces/asgi-echo"]));
    const { code, stderr, stdout } = await invoke(
      "report",
      first,
      second,
      "--plan",
      "plan.json",
      "--out",
      "c",
      "--json",
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(JSON.parse(stdout)).toMatchObject({ rows: { completed: 3 }, missing: [] });
    expect(readFileSync(join(folder, "c", "report.md"), "utf8")).not.toContain("Not measured");
  });

  it.each([
    ["none.json", "none.json: no such file; expected a plan.json"],
    ["1.json", '1.json: schema: expected "server-bench/plan", got "server-bench/results"'],
  ])("--plan %s: exit 2, nothing written", async (file, message) => {
    const { code, stderr } = await invoke("report", first, "--plan", file, "--out", "never");
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    expect(existsSync(join(folder, "never"))).toBe(false);
  });
});
