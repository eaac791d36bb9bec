/** Git, as far as sides need it: nothing of the user's checkout, index and branches is written. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
/** No hook of the user's runs on a checkout of ours, git asks nobody, and a look at the index does not refresh it. */
const OWN = ["--no-optional-locks", "-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false"];
/** Set inside hooks (`git rev-parse --local-env-vars`): they would point every command at another repository or index. */
const POINTING = new Set([
  ...["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_NAMESPACE"],
  ...["GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE"],
  ...["GIT_IMPLICIT_WORK_TREE", "GIT_QUARANTINE_PATH", "GIT_REPLACE_REF_BASE", "GIT_INTERNAL_SUPER_PREFIX"],
]);

interface GitOptions {
  readonly cwd: string;
  /** For its standard input. */
  readonly input?: string;
  readonly timeoutMs?: number;
}

/**
 * Runs git and gives its standard output without the last line end.
 * @throws Error with git's own words
 */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  return await gitWith({ cwd }, ...args);
}

/** @throws Error with git's own words, or that it is not installed, or took too long */
export async function gitWith(options: GitOptions, ...args: readonly string[]): Promise<string> {
  const { cwd, input = "", timeoutMs = 0 } = options;
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !POINTING.has(name)));
  try {
    const running = run("git", [...OWN, ...args], {
      ...{ cwd, maxBuffer: OUTPUT_MAX_BYTES, timeout: timeoutMs },
      // Messages are told apart by their words.
      env: { ...env, GIT_TERMINAL_PROMPT: "0", LC_ALL: "C" },
    });
    running.child.stdin?.on("error", () => {}).end(input);
    return (await running).stdout.replace(/\n$/, "");
  } catch (error) {
    throw new Error(reasonOf(error as Failure, timeoutMs));
  }
}

type Failure = Error & { readonly stderr?: string; readonly code?: string | number | null; readonly killed?: boolean };

function reasonOf({ stderr = "", message, code, killed }: Failure, timeoutMs: number): string {
  if (code === "ENOENT") return "git is not installed, or the folder is not there";
  if (killed && timeoutMs > 0) return `git took longer than ${timeoutMs / 1000} s`;
  return stderr.trim() === "" ? message : stderr.trim();
}

/** Whether the files of commits before some are missing: a clone with a depth, as actions/checkout makes it. */
export async function isShallow(cwd: string): Promise<boolean> {
  return (await git(cwd, "rev-parse", "--is-shallow-repository").catch(() => "false")) === "true";
}

/**
 * Whether tracked files differ from the commit that is checked out, those of submodules included. New files do not
 * count: results of earlier runs lie about in checkouts.
 */
export async function hasUncommittedChanges(cwd: string): Promise<boolean> {
  const status = ["status", "--porcelain", "--untracked-files=no", "--ignore-submodules=none"];
  return (await git(cwd, ...status).catch(() => "")) !== "";
}
