/** The step of examples/release.yml that keeps the pages: a real repository, only GitHub's command line is doubled. */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { commit, git, newRepository } from "../support/repository.js";
import { workflowsIn } from "../support/workflows.js";

const example = workflowsIn("examples").find(({ file }) => file.endsWith("release.yml"));
const script = example?.value.jobs.publish?.steps.find(({ run }) => run?.includes("git push"))?.run ?? "";

let temp: string;
beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

it("pushes what changed in the folder, and does nothing without a change", () => {
  const origin = newRepository(join(temp, "origin"));
  commit(origin, { "app.py": "the code" });
  git(origin, "switch", "--quiet", "--orphan", "benchmark-pages");
  git(origin, "commit", "--quiet", "--allow-empty", "-m", "Pages");
  git(origin, "checkout", "--quiet", "main");
  const site = join(temp, "site");
  git(temp, "clone", "--quiet", "--branch", "benchmark-pages", origin, site);
  const bin = join(temp, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "gh"), '#!/bin/sh\ntest "$*" = "auth setup-git" && test -n "$GH_TOKEN"\n');
  chmodSync(join(bin, "gh"), 0o755);
  const env = {
    PATH: `${bin}:${process.env.PATH}`,
    HOME: temp,
    GH_TOKEN: "x",
    GITHUB_REF_NAME: "v1.0.0; touch hacked",
  };
  const push = () => execFileSync("bash", ["-e", "-c", script], { cwd: site, env, encoding: "utf8", stdio: "pipe" });
  const log = () => git(origin, "log", "--format=%an: %s", "benchmark-pages").split("\n");

  mkdirSync(join(site, "v1.0.0"));
  writeFileSync(join(site, "v1.0.0/index.html"), "page");
  writeFileSync(join(site, ".nojekyll"), "");
  push();
  expect(log()).toEqual(["github-actions[bot]: Benchmarks of v1.0.0; touch hacked", "Test: Pages"]);
  expect(git(origin, "ls-tree", "-r", "--name-only", "benchmark-pages").split("\n")).toEqual([
    ".nojekyll",
    "v1.0.0/index.html",
  ]);
  push();
  expect(log()).toHaveLength(2);
  expect(git(origin, "log", "--format=%s", "main")).toBe("Change");
});

it("the branch for them is made by the command of the first lines, in a clone that stays as it is", () => {
  const [command = ""] = /git push origin "\$\(git commit-tree.*$/m.exec(example?.text ?? "") ?? [];
  const origin = newRepository(join(temp, "origin"));
  commit(origin, { "app.py": "the code" });
  const clone = join(temp, "clone");
  git(temp, "clone", "--quiet", origin, clone);
  writeFileSync(join(clone, "app.py"), "edited");
  const env = { ...process.env, HOME: temp, GIT_AUTHOR_NAME: "A", GIT_AUTHOR_EMAIL: "a@example.com" };
  const committer = { GIT_COMMITTER_NAME: "A", GIT_COMMITTER_EMAIL: "a@example.com" };
  execFileSync("bash", ["-e", "-c", command], { cwd: clone, env: { ...env, ...committer }, stdio: "pipe" });
  expect(git(clone, "status", "--short", "--branch")).toBe("## main...origin/main\n M app.py");
  expect(git(origin, "log", "--format=%s", "benchmark-pages")).toBe("Pages");
  expect(git(origin, "ls-tree", "-r", "benchmark-pages")).toBe("");
});
