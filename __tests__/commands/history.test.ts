/** `history`: files and folders, what it writes, and what it says about input that it cannot use. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { main } from "../../src/commands/main.js";
import { formatResults } from "../../src/results/layout.js";
import { days, shaOf } from "../support/history.js";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "server-bench-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const stored = join(folder, "stored");
mkdirSync(stored);
for (const results of days({ runs: 20, rows: 4, speed: (row, run) => (row === 0 && run >= 10 ? -0.1 : 0) }))
  writeFileSync(join(stored, `${results.run.id.padStart(8, "0")}.json`), formatResults(results));
const one = readFileSync(join(stored, "000run-1.json"), "utf8");
writeFileSync(join(folder, "run-1.json"), one);
writeFileSync(join(folder, "cut.json"), one.slice(0, -400));
writeFileSync(join(folder, "empty.json"), "");
writeFileSync(join(folder, "newer.json"), one.replace('"version": 1', '"version": 2'));
writeFileSync(join(folder, "wrong.json"), one.replace('"cpus": 2', '"cpus": "two"'));
mkdirSync(join(folder, "nothing"));

async function invoke(argv: readonly string[], env: Record<string, string> = {}) {
  let [stdout, stderr] = ["", ""];
  const code = await main(argv, {
    root,
    cwd: folder,
    env,
    stdout: { write: (text) => (stdout += text) },
    stderr: { write: (text) => (stderr += text) },
  });
  return { code, stdout, stderr };
}

describe("history", () => {
  it("writes the page, the data, the feed and the badge of a folder", async () => {
    const { code, stdout, stderr } = await invoke([
      "history",
      "stored",
      "--out",
      "site",
      "--repository",
      "https://github.com/octo/app",
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toBe(`20 runs, 4 benchmarks, 2 level shifts: ${join(folder, "site/index.html")}\n`);
    expect(readFileSync(join(folder, "site/index.html"), "utf8")).toContain(`/compare/${shaOf(9)}...${shaOf(10)}`);
    expect(JSON.parse(readFileSync(join(folder, "site/history.json"), "utf8"))).toMatchObject({
      schema: "server-bench/history",
      version: 1,
    });
    expect(JSON.parse(readFileSync(join(folder, "site/badge.json"), "utf8"))).toMatchObject({
      message: "1 benchmark worse in 20 runs",
    });
    expect(readFileSync(join(folder, "site/feed.atom"), "utf8")).toContain("<feed xmlns=");
  });

  it("links to the repository of its job", async () => {
    await invoke(["history", "stored", "--out", "job"], {
      GITHUB_SERVER_URL: "https://github.com",
      GITHUB_REPOSITORY: "octo/app",
    });
    expect(readFileSync(join(folder, "job/index.html"), "utf8")).toContain("https://github.com/octo/app/compare/");
  });

  it("lists files of a folder that are no results files, and goes on", async () => {
    const mixed = join(folder, "mixed");
    mkdirSync(mixed);
    for (const name of ["run-1", "cut", "empty", "newer", "wrong"])
      writeFileSync(join(mixed, `${name}.json`), readFileSync(join(folder, `${name}.json`)));
    const { code, stdout } = await invoke(["history", "mixed", "--json", "--out", "mixed-site"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      runs: 1,
      leftOut: [
        { source: "mixed/cut.json", reason: expect.stringMatching(/^the file ends in the middle/) },
        { source: "mixed/empty.json", reason: "is empty; expected a results file" },
        {
          source: "mixed/newer.json",
          reason: expect.stringMatching(/^version: written by a newer server-bench: version 2/),
        },
        { source: "mixed/wrong.json", reason: 'environment.cpus: expected number, got "two"' },
      ],
    });
    expect(readFileSync(join(folder, "mixed-site/index.html"), "utf8")).toContain("4 files left out");
  });

  it("reads the results in the folders of a folder, as runs write them and artifacts are downloaded", async () => {
    for (const name of ["run-1", "run-2"]) {
      mkdirSync(join(folder, "nightly", name, "charts"), { recursive: true });
      const text = readFileSync(join(folder, `stored/000${name}.json`));
      writeFileSync(join(folder, "nightly", name, "results.json"), text);
    }
    mkdirSync(join(folder, "nightly/site"));
    const { code, stdout } = await invoke(["history", "nightly", "--json", "--out", "nightly/site"]);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, runs: 2, leftOut: [] });
  });

  it.each([
    [[], "history needs results files, or folders of them"],
    [["run-1.json", "cut.json"], "cut.json: the file ends in the middle"],
    [["empty.json"], "empty.json: is empty; expected a results file"],
    [["newer.json"], "newer.json: version: written by a newer server-bench"],
    [["wrong.json"], 'wrong.json: environment.cpus: expected number, got "two"'],
    [["gone"], "gone: no such file or folder; give results files, or a folder of them"],
    [["run-1.json", "gone.json"], "gone.json: no such file or folder; give results files, or a folder of them"],
    [["run-1.json/below"], "run-1.json/below: no such file or folder"],
    [["nothing"], "nothing: has no *.json file, and no folder with a results.json; give results files"],
    [
      ["run-1.json", "--repository", "javascript:alert(1)"],
      "--repository javascript:alert(1): expected the address of a repository",
    ],
  ])("%j: exit 2, why, and nothing written", async (args, message) => {
    const { code, stdout, stderr } = await invoke(["history", ...args, "--out", "never"]);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(existsSync(join(folder, "never"))).toBe(false);
  });

  it("does not replace the page of a run", async () => {
    const out = join(folder, "report");
    mkdirSync(out);
    writeFileSync(join(out, "results.json"), one);
    const { code, stderr } = await invoke(["history", "stored", "--out", "report"]);
    expect(code).toBe(2);
    expect(stderr).toContain("holds the report of a run (results.json); give another folder");
  });

  it("is named by report, where several runs of the same rows are merged", async () => {
    const files = ["stored/000run-1.json", "stored/000run-2.json"];
    const { code, stdout } = await invoke(["report", ...files, "--out", "merged"]);
    expect(code).toBe(0);
    expect(stdout).toContain('"history" with the same files shows how they changed');
    expect((await invoke(["report", "run-1.json", "--out", "single"])).stdout).not.toContain("history");
  });
});
