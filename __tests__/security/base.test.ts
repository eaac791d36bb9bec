/** A pull request that commits a link or a folder named like its base is compared with the commit all the same. */
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findBase } from "../../src/provision/sides/sides.js";
import { readResults } from "../../src/results/read.js";
import { startAction } from "../support/action.js";
import { GitHubDouble } from "../support/github/double.js";
import { app, runIn, scenarios } from "../support/own-set.js";
import { commit, git, newRepository, writeFiles } from "../support/repository.js";

const TIMEOUT_MS = 240_000;

let temp: string;
let workspace: string;
let baseSha: string;
beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  workspace = newRepository(join(temp, "checkout"));
  baseSha = commit(workspace, { ...scenarios("hello"), "hello/app.py": app(0) });
  git(workspace, "checkout", "--quiet", "-b", "feature");
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

describe("in the action", () => {
  it("a link of the base's SHA to the pull request itself is no base", { timeout: TIMEOUT_MS }, async () => {
    await using github = await GitHubDouble.start();
    symlinkSync(".", join(workspace, baseSha));
    const headSha = commit(workspace, { "hello/app.py": app(20_000) });
    github.addPull({ number: 7, headSha, baseSha, headRepository: "acme/server" });
    const run = github.addRun({
      ...{ event: "pull_request", headBranch: "feature", headSha, headRepository: "acme/server" },
      ...{ status: "in_progress", conclusion: null },
    });
    const env = { ...(await github.jobEnv(run)), ...github.runtimeEnv(run.id) };
    const inputs = {
      ...{ scenarios: "mine", "scenarios-dir": "bench", profile: "quick", token: "test-token" },
      "profile-rows": "none",
    };
    const { ended } = startAction(inputs, { cwd: workspace, env });
    const { stdout } = await ended;
    const results = readFileSync(join(workspace, "server-bench-results/results.json"), "utf8");
    const { comparison } = JSON.parse(results) as { comparison: { base: unknown; rows: { verdict: string }[] } };
    expect(comparison.base, stdout).toEqual({ sha: baseSha });
    expect(comparison.rows.map(({ verdict }) => verdict)).toEqual(["worse"]);
  });

  it.each(["main", "bench/main"])("a folder %s is no base where a branch is meant", async (name) => {
    writeFiles(workspace, { [`${name}/hello/app.py`]: app(1) });
    git(workspace, "branch", "bench/main", "main");
    commit(workspace, {});
    expect(await findBase(name, workspace, "commit")).toMatchObject({ kind: "commit", sha: baseSha });
    git(workspace, "branch", "--quiet", "-D", name);
    await expect(findBase(name, workspace, "commit")).rejects.toThrow(
      `a folder has this name: give ./${name} to compare with it`,
    );
    expect(await findBase(`./${name}`, workspace, "commit")).toMatchObject({ kind: "folder" });
  });
});

it("on the command line a commit wins over a folder of its name, and a note says how to give the folder", async () => {
  symlinkSync(".", join(workspace, baseSha));
  symlinkSync(".", join(workspace, "main"));
  for (const name of [baseSha, "main"])
    expect(await findBase(name, workspace, "folder-or-commit")).toMatchObject({
      ...{ kind: "commit", sha: baseSha },
      notes: [expect.stringContaining(`for the folder give ./${name}`)],
    });
});

it.each([
  ["slows it down", "# slower from here on"],
  ["breaks it, so that base fails", "def broken(:"],
])(
  "a head that writes into base's checkout and %s voids the comparison, and the report says why",
  {
    timeout: TIMEOUT_MS,
  },
  async (_, line) => {
    const tamper = `
import os
base = os.path.join(os.environ["SERVER_BENCH_FILES"], "../base/hello/app.py")
with open(base, "a") as file:
    file.write("${line}\\n")
`;
    commit(workspace, { "hello/app.py": app(0, tamper) });
    const out = join(temp, "out");
    const args = ["mine", "--scenarios", "bench", "--base", "main", "--budget", "0.6", "--fail-on", "worse"];
    const { code, output, errors } = await runIn(workspace, out, ...args);
    const { comparison, run } = await readResults(join(out, "results.json"));
    expect(comparison?.rows, output + errors).toEqual([]);
    const reason = expect.stringMatching(/base's files changed .*\(hello\/app\.py was changed in base's checkout\)/);
    expect(comparison?.notCompared).toMatchObject([{ kind: "voided", reason }]);
    expect(run.warnings).toContainEqual(reason);
    // Who makes the comparison void must not pass the gate by it.
    expect(code).toBe(1);
  },
);
