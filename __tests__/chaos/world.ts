/** What one trial has: folders of its own, a tiny set for granian, and the tool started in them. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { LOCK_VARIABLE } from "../../src/machine-lock/lock-file.js";
import { processesWith, tempFolder } from "../support/cli.js";
import { GitHubDouble, type StoredRun } from "../support/github/double.js";
import { app, ROOT, scenarios } from "../support/own-set.js";
import { commit, git, newRepository } from "../support/repository.js";

export const KINDS = ["run", "paired", "report", "setup", "action"] as const;
export type Kind = (typeof KINDS)[number];

/** Of the pull request in the double. */
export const PULL = 7;

/** How a fault changes the start of the tool. */
export interface Start {
  /** argv before `node`: a program that sets limits. */
  readonly prefix?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A folder of programs before all others. */
  readonly bin?: string;
  /** Options after all others. */
  readonly args?: readonly string[];
}

export interface Tool {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  output(): string;
}

export interface Ended {
  /** null: killed by a signal. */
  readonly code: number | null;
  readonly output: string;
  readonly seconds: number;
}

export class World {
  readonly root: string;
  readonly kind: Kind;
  readonly temp: string;
  readonly out: string;
  readonly github: GitHubDouble | undefined;
  readonly #job: Readonly<Record<string, string>>;

  private constructor(
    root: string,
    kind: Kind,
    github: GitHubDouble | undefined,
    job: Readonly<Record<string, string>>,
  ) {
    this.root = root;
    this.kind = kind;
    this.temp = join(root, "temp");
    this.out = join(root, "out");
    this.github = github;
    this.#job = job;
  }

  static async open(kind: Kind): Promise<World> {
    const root = tempFolder();
    mkdirSync(join(root, "temp"));
    const checkout = newRepository(join(root, "head"));
    const baseSha = commit(checkout, { ...scenarios("a", "b"), "a/app.py": app(0), "b/app.py": app(0) });
    git(checkout, "checkout", "--quiet", "-b", "feature");
    const headSha = commit(checkout, { "a/app.py": app(0, "# Changed"), "b/app.py": app(1, "# Changed") });
    if (kind !== "action") return new World(root, kind, undefined, {});
    const github = await GitHubDouble.start();
    github.addPull({ number: PULL, headSha, baseSha });
    const run: StoredRun = github.addRun({
      ...{ event: "pull_request", headBranch: "feature", headSha, status: "in_progress", conclusion: null },
    });
    return new World(root, kind, github, { ...(await github.jobEnv(run)), ...github.runtimeEnv(run.id) });
  }

  start({ prefix = [], env = {}, bin, args = [] }: Start = {}): Tool {
    const [entry, ...given] = this.#command();
    const argv = [
      ...prefix,
      process.execPath,
      join(ROOT, "dist", entry),
      ...given,
      ...(entry === "cli.js" ? args : []),
    ];
    const startedAt = performance.now();
    const [program = "", ...rest] = argv;
    const child = spawn(program, rest, {
      cwd: join(this.root, "head"),
      env: {
        ...process.env,
        ...this.#environment(),
        ...(bin && { PATH: `${bin}${delimiter}${process.env.PATH}` }),
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        output = (output + text).slice(-1_000_000);
      });
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => resolve({ code, output, seconds: (performance.now() - startedAt) / 1000 }));
    });
    return { child, ended, output: () => output };
  }

  /** The folder of results.json: the action has it in its workspace. */
  get results(): string {
    return this.kind === "action" ? join(this.root, "head", "server-bench-results") : this.out;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.github) {
      // Faults break the description on purpose.
      this.github.violations.length = 0;
      await this.github[Symbol.asyncDispose]();
    }
    rmSync(this.root, { recursive: true, force: true });
  }

  #command(): readonly [string, ...string[]] {
    const set = ["mine", "--scenarios", "bench"];
    const out = ["--out", this.out];
    switch (this.kind) {
      case "run":
        return ["cli.js", "run", ...set, "--profile", "quick", ...out, "--wait", "0"];
      case "paired":
        return ["cli.js", "run", ...set, "--base", "main", "--budget", "0.6", ...out, "--wait", "0"];
      case "report":
        return ["cli.js", "report", join(ROOT, "docs/example/results.json"), ...out];
      case "setup":
        return ["cli.js", "setup", ...set];
      case "action":
        return ["action.js"];
    }
  }

  #environment(): Record<string, string> {
    const common = { TMPDIR: this.temp, [LOCK_VARIABLE]: join(this.root, "machine.lock"), CI: "true" };
    if (this.kind !== "action") return common;
    const files = Object.fromEntries(
      ["GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_ENV"].map((name) => [name, join(this.root, name)]),
    );
    for (const file of Object.values(files)) writeFileSync(file, "");
    const inputs = {
      ...{ SCENARIOS: "mine", "SCENARIOS-DIR": "bench", PROFILE: "quick", BASELINE: "none", WAIT: "0" },
      TOKEN: this.github?.token ?? "",
    };
    return {
      ...{ ...common, ...this.#job, ...files, RUNNER_TEMP: this.temp, GITHUB_WORKSPACE: join(this.root, "head") },
      ...Object.fromEntries(Object.entries(inputs).map(([name, value]) => [`INPUT_${name}`, value])),
    };
  }
}

/** The cache that trials share; those that break theirs have one of their own. */
export function sharedCache(): string {
  return process.env.SERVER_BENCH_CACHE ?? join(homedir(), ".cache", "server-bench");
}

/** The newest file of a name below a folder; undefined: none. */
export function findBelow(folder: string, name: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name === name)
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs)[0];
}

/** Processes whose environment or arguments name the folder. */
export function processesOf(folder: string): { readonly pid: number; readonly command: string }[] {
  return processesWith(folder).flatMap((pid) => {
    const command = commandOf(pid);
    return command === "" ? [] : [{ pid, command: command.slice(0, 150) }];
  });
}

/** "" for one that has ended. */
function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}
