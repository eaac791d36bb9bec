/** `release` on a small repository with two tags: real servers, real load, and the folder of all releases. */
import { mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { main } from "../../src/commands/main.js";
import type { Results } from "../../src/results/schema.js";
import { ROOT, slowerApp, waitingApp, waitingScenarios } from "../support/own-set.js";
import { commit, git, newRepository } from "../support/repository.js";

let temp: string;
beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

it("a first release, and the next one, which is slower", async () => {
  const repository = newRepository(join(temp, "checkout"));
  const first = commit(repository, { ...waitingScenarios("hello"), "hello/app.py": waitingApp() });
  git(repository, "tag", "v1.9.0");
  const second = commit(repository, { "hello/app.py": slowerApp() });
  git(repository, "tag", "-a", "-m", "Ten", "v1.10.0");
  const site = join(temp, "site");
  const release = async (tag: string) => {
    let [output, errors] = ["", ""];
    git(repository, "checkout", "--quiet", "--detach", tag);
    const args = ["mine", "--tag", tag, "--scenarios", "bench", "--profile", "quick", "--profile-rows", "none"];
    const code = await main(["release", ...args, "--site", site, "--out", join(temp, tag)], {
      ...{ root: ROOT, cwd: repository, env: { ...process.env, CI: "1", RUNNER_TEMP: temp } },
      stdout: { write: (text) => (output += text) },
      stderr: { write: (text) => (errors += text) },
    });
    expect(code, output + errors).toBe(0);
    return {
      notes: readFileSync(join(temp, tag, "notes.md"), "utf8"),
      results: JSON.parse(readFileSync(join(temp, tag, "results.json"), "utf8")) as Results,
    };
  };

  const alone = await release("v1.9.0");
  expect(alone.notes).toContain("## Benchmarks of v1.9.0\n");
  expect(alone.notes).toContain("**Nothing to compare with:** v1.9.0 is the first release");
  expect(alone.results.run.git).toEqual({ sha: first, ref: "v1.9.0" });

  const compared = await release("v1.10.0");
  // On a busy machine the CPU per request decides, and throughput stays open.
  expect(compared.notes).toMatch(
    /^## Benchmarks of v1\.10\.0 compared with v1\.9\.0\n\n\*\*1 of 1 benchmark (is slower|needs more CPU per request), by /,
  );
  expect(compared.notes).toMatch(/\| Mine \| 1 \| 1 \| 0 \| 0 \| 0 \| 0 \| [-+]\d+\.\d % \|/);
  expect(compared.results.run.git).toEqual({ sha: second, ref: "v1.10.0" });
  expect(compared.results.comparison).toMatchObject({ mode: "paired", base: { ref: "v1.9.0", sha: first } });
  const words = compared.results.run.command.slice(2).join(" ");
  expect(words).toBe("run mine --scenarios bench --profile quick --profile-rows none --base v1.9.0");
  expect(readFileSync(join(site, "index.html"), "utf8")).toMatch(/v1\.10\.0<\/a>[\s\S]*v1\.9\.0<\/a>/);
  expect(readFileSync(join(site, "v1.10.0/index.html"), "utf8")).toContain(
    "Benchmarks of v1.10.0 compared with v1.9.0",
  );
  expect(git(repository, "status", "--porcelain")).toBe("");
  expect(git(repository, "worktree", "list").split("\n")).toHaveLength(1);
});
