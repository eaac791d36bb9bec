/** The commands that repeat a run: a shell that was opened a moment ago can run them. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { type Origin, originOf } from "../../../src/report/repeat/origin.js";
import { repeatChanged, repeatRun } from "../../../src/report/repeat/repeat.js";
import type { Results } from "../../../src/results/schema.js";
import { compared, comparison } from "../../support/comment.js";
import { sampleResults } from "../../support/results.js";

const HEAD = "a".repeat(40);
const BASE = "b".repeat(40);
const ORIGIN: Origin = {
  tool: { repository: "org/server-bench", ref: "v0.1.0" },
  ...{ serverUrl: "https://github.com", repository: "acme/server", workspace: "/home/runner/work/server/server" },
};
const COMMAND = [
  ...["server-bench", "run", "interfaces", "http2", "--profile", "standard"],
  ...["--server", "granian=/home/runner/work/server/server", "--base", BASE, "--budget", "10"],
];

function results(change: Partial<Results["run"]> = {}, rows = [compared("interfaces/rsgi-bytes", "worse")]): Results {
  const sample = sampleResults();
  const run = { ...sample.run, git: { sha: HEAD }, command: COMMAND.slice(0, 8), ...change };
  return { ...sample, run, comparison: comparison(rows, { base: { sha: BASE }, command: COMMAND }) };
}

function linesOf(repeats: ReturnType<typeof repeatRun>): string[] {
  return repeats.flatMap(({ lines }) => [...lines]);
}

describe("the changed rows", () => {
  it("are measured again from clones of the action and of the repository", () => {
    const repeats = repeatChanged(results(), ORIGIN);
    expect(repeats.map(({ heading }) => heading)).toEqual(["To measure the changed benchmark again:"]);
    expect(linesOf(repeats)).toEqual([
      "git clone https://github.com/org/server-bench &&",
      "git -C server-bench checkout v0.1.0 &&",
      "git clone https://github.com/acme/server &&",
      "cd server &&",
      `git fetch origin ${HEAD} ${BASE} &&`,
      `git checkout ${HEAD} &&`,
      `node ../server-bench/dist/cli.js run interfaces/rsgi-bytes --base ${BASE} --profile standard --server granian=.`,
    ]);
  });

  it("are given together", () => {
    const rows = [
      compared("interfaces/a", "worse", { connections: 64 }),
      compared("interfaces/a", "worse", { connections: 256 }),
      compared("http2/b", "better"),
      compared("http2/c", "unchanged"),
    ];
    const [repeat] = repeatChanged(results({}, rows), ORIGIN);
    expect(repeat?.heading).toBe("To measure the 2 changed benchmarks again:");
    expect(repeat?.lines.at(-1)).toContain(`run interfaces/a http2/b --base ${BASE}`);
  });

  it("are not named where they are too many", () => {
    const rows = Array.from({ length: 13 }, (_, i) => compared(`interfaces/row-${i}`, "worse"));
    expect(repeatChanged(results({}, rows), ORIGIN).at(0)?.lines.at(-1)).toContain("run interfaces http2 --base");
  });

  it("that stored results made suspect are measured beside base", () => {
    const of = results();
    const command = ["server-bench", "run", "interfaces", "--base-results", "out/base.json", "--anchor", "uvicorn"];
    const rows = [compared("interfaces/a", "suspect-worse")];
    const stored = comparison(rows, { mode: "artifact", base: { sha: BASE, runs: "1" }, command });
    expect(linesOf(repeatChanged({ ...of, comparison: stored }, ORIGIN)).at(-1)).toBe(
      `node ../server-bench/dist/cli.js run interfaces/a --base ${BASE}`,
    );
  });
});

describe("the whole run", () => {
  it("has the selectors of all its shards", () => {
    const part = (source: string, selector: string) => ({
      ...{ source, id: source, startedAt: "2025-01-03T02:28:11Z", fingerprint: "x" },
      command: ["server-bench", "run", selector, "--profile", "standard"],
    });
    const of = results({ parts: [part("a", "interfaces"), part("b", "http2/get"), part("c", "interfaces")] });
    expect(linesOf(repeatRun(of, ORIGIN)).at(-1)).toContain("run interfaces http2/get --base");
  });

  it("needs no checkout where none was measured", () => {
    const { git: _, ...run } = results().run;
    const { comparison: __, ...of } = { ...results(), run };
    expect(linesOf(repeatRun(of, ORIGIN))).toEqual([
      "git clone https://github.com/org/server-bench &&",
      "git -C server-bench checkout v0.1.0 &&",
      "node server-bench/dist/cli.js run interfaces http2 --profile standard --server granian=.",
    ]);
  });

  it("of a command line is repeated as it was typed", () => {
    const command = ["node", "../tools/server-bench/dist/cli.js", "run", "interfaces", "--base", "main"];
    const of = { ...results({ command }), comparison: comparison([], { command }) };
    const [repeat] = repeatRun(of, undefined);
    expect(repeat).toEqual({
      heading: "To repeat the run:",
      lines: ["node ../tools/server-bench/dist/cli.js run interfaces --base main"],
    });
  });

  it("of an action says where the tool has to be, when only the results are known", () => {
    const [repeat] = repeatRun(results({ command: COMMAND }), undefined);
    expect(repeat?.heading).toBe(
      "To repeat the run, in the measured checkout with a clone of server-bench next to it:",
    );
    expect(repeat?.lines).toHaveLength(1);
    expect(repeat?.lines[0]).toMatch(/^node \.\.\/server-bench\/dist\/cli\.js run interfaces http2 --profile standard/);
  });

  it("takes no word of the results for more than a word", () => {
    const command = ["server-bench", "run", "$(touch x)", "--server", "a=b; touch y", "--base", "`touch z`"];
    const of = { ...results({ command }), comparison: comparison([], { base: {}, command }) };
    for (const line of [...linesOf(repeatRun(of, ORIGIN)), ...linesOf(repeatRun(of, undefined))])
      expect(line.replaceAll(/'[^']*'/g, "")).not.toMatch(/[$`;]/);
  });
});

describe("pasted into a shell", () => {
  const folder = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const git = (cwd: string, ...args: string[]) =>
    execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main", ...args], {
      cwd,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    }).trim();

  /** A repository at `owner/name` with one file. @returns its commit */
  function repository(name: string, file: string, text: string): string {
    const at = join(folder, "remote", name);
    mkdirSync(join(at, file, ".."), { recursive: true });
    git(at, "init", "--quiet");
    git(at, "config", "uploadpack.allowAnySHA1InWant", "true");
    writeFileSync(join(at, file), text);
    git(at, "add", ".");
    git(at, "commit", "--quiet", "-m", "first");
    return git(at, "rev-parse", "HEAD");
  }

  it("clones both, checks out the measured commit, though no branch has it, and starts the tool", () => {
    const cli = 'require("node:fs").writeFileSync("ran", JSON.stringify(process.argv.slice(2)))';
    repository("org/server-bench", "dist/cli.js", cli);
    git(join(folder, "remote/org/server-bench"), "tag", "v0.1.0");
    const base = repository("acme/server", "app.py", "base");
    const at = join(folder, "remote/acme/server");
    writeFileSync(join(at, "app.py"), "head");
    git(at, "commit", "--quiet", "-am", "of the pull request");
    const head = git(at, "rev-parse", "HEAD");
    git(at, "reset", "--quiet", "--hard", base);
    const command = ["server-bench", "run", "interfaces", "--server", "granian=/w/server", "--base", base];
    const of = {
      ...results({ git: { sha: head } }),
      comparison: comparison([compared("interfaces/a", "worse")], { base: { sha: base }, command }),
    };
    const origin = { ...ORIGIN, serverUrl: `file://${join(folder, "remote")}`, workspace: "/w/server" };
    const shell = join(folder, "shell");
    mkdirSync(shell);
    execFileSync("sh", ["-e"], {
      cwd: shell,
      input: linesOf(repeatChanged(of, origin)).join("\n"),
      stdio: ["pipe", "pipe", "ignore"],
    });
    expect(JSON.parse(readFileSync(join(shell, "server/ran"), "utf8"))).toEqual([
      ...["run", "interfaces/a", "--base", base, "--server", "granian=."],
    ]);
    expect(readFileSync(join(shell, "server/app.py"), "utf8")).toBe("head");
  });
});

describe("where the action is to be had", () => {
  const job = { serverUrl: "https://github.com", repository: "acme/server", workspace: "/w", sha: HEAD };
  const toolOf = (repository: string, ref: string) =>
    originOf({ GITHUB_ACTION_REPOSITORY: repository, GITHUB_ACTION_REF: ref }, job, "1.4.2")?.tool;

  it("is the commit or the branch that the workflow names", () => {
    expect(toolOf("org/server-bench", BASE)).toEqual({ repository: "org/server-bench", ref: BASE });
    expect(toolOf("org/server-bench", "main")).toEqual({ repository: "org/server-bench", ref: "main" });
  });

  it("is the release that a moving tag pointed at", () => {
    expect(toolOf("org/server-bench", "v1")?.ref).toBe("v1.4.2");
    expect(toolOf("org/server-bench", "v1.4")?.ref).toBe("v1.4.2");
    expect(toolOf("org/server-bench", "v1.3.0")?.ref).toBe("v1.3.0");
  });

  it("is the repository itself, of an action in its own workflow", () => {
    expect(toolOf("", "")).toEqual({ repository: "acme/server", ref: HEAD });
  });

  it("is not said where a name could be more than a name", () => {
    for (const [repository, ref] of [
      ["org/x;y", "v1"],
      ["org/x", "--upload-pack=x"],
      ["org/x", "$(x)"],
      ["org", "v1"],
    ])
      expect(toolOf(repository ?? "", ref ?? "")).toBeUndefined();
  });
});
