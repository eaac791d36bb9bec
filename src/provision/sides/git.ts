/**
 * Every call of git: nothing of the user's checkout, index and branches is written, no program that the checkout names
 * is run, and git sees no token.
 */
import { execFile } from "node:child_process";
import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";
import { gitEnvironment } from "../../process/environment.js";
import { FIXED_OPTIONS, neutralOptions } from "./git-config.js";

const run = promisify(execFile);
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;

interface GitOptions {
  readonly cwd: string;
  /** For its standard input. */
  readonly input?: string;
  readonly timeoutMs?: number;
  /** Of its input and output; file names need not be UTF-8. */
  readonly encoding?: "utf8" | "latin1";
  /** Further settings, by their names. No other process of the machine sees them among the arguments. */
  readonly secrets?: Readonly<Record<string, string>>;
}

/**
 * Runs git and gives its standard output without the last line end.
 * @throws Error with git's message
 */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  return await gitWith({ cwd }, ...args);
}

/** @throws Error with git's message, or that it is not installed, took too long, or would run in an embedded repository */
export async function gitWith(options: GitOptions, ...args: readonly string[]): Promise<string> {
  const embedded = embeddedRepository(options.cwd);
  if (embedded !== undefined)
    throw new Error(`fatal: not a git repository: ${embedded} is a bare repository inside of a checkout`);
  const listed = await runGit({ cwd: options.cwd }, ["config", "--list", "--show-scope", "--name-only", "-z"]);
  return await runGit(options, [...neutralOptions(ownSettings(listed)), ...args]);
}

/** Names of the settings that the repository itself makes: the machine's and the user's are trusted. */
function ownSettings(listing: string): string[] {
  const fields = listing.split("\0");
  return fields.flatMap((scope, index) =>
    index % 2 === 0 && /^(local|worktree)$/.test(scope) ? [fields[index + 1] ?? ""] : [],
  );
}

async function runGit(
  { cwd, input = "", timeoutMs = 0, encoding = "utf8", secrets = {} }: GitOptions,
  args: readonly string[],
) {
  try {
    const running = run("git", [...FIXED_OPTIONS, ...args], {
      cwd,
      encoding,
      maxBuffer: OUTPUT_MAX_BYTES,
      timeout: timeoutMs,
      env: { ...gitEnvironment(process.env), ...settingVariables(secrets) },
    });
    running.child.stdin?.on("error", () => {}).end(input, encoding);
    return (await running).stdout.replace(/\n$/, "");
  } catch (error) {
    throw new Error(reasonOf(error as Failure, timeoutMs), { cause: error });
  }
}

/** As git reads settings from its environment. */
function settingVariables(settings: Readonly<Record<string, string>>): Record<string, string> {
  const pairs = Object.entries(settings).map(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return pairs.length === 0 ? {} : { GIT_CONFIG_COUNT: String(pairs.length), ...Object.fromEntries(pairs.flat()) };
}

/** The folder that holds `.git`, from this one upwards; undefined outside of a checkout. */
export function checkoutOf(folder: string): string | undefined {
  for (let at = realPath(folder); ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (at === dirname(at)) return undefined;
  }
}

/**
 * A bare repository between this folder and its checkout. A commit can hold one, with a configuration that names
 * programs; versions of git before 2.38 do not know `safe.bareRepository`.
 */
function embeddedRepository(folder: string): string | undefined {
  const top = checkoutOf(folder);
  if (top === undefined) return undefined;
  for (let at = realPath(folder); at !== top; at = dirname(at)) if (isBareRepository(at)) return at;
  return undefined;
}

/** Without symbolic links, as git sees its working directory. */
function realPath(folder: string): string {
  try {
    return realpathSync(folder);
  } catch {
    return resolve(folder);
  }
}

function isBareRepository(folder: string): boolean {
  const has = (name: string) => statSync(join(folder, name), { throwIfNoEntry: false });
  return has("HEAD") !== undefined && (has("objects") !== undefined || has("commondir") !== undefined);
}

type Failure = Error & { readonly stderr?: string; readonly code?: string | number | null; readonly killed?: boolean };

function reasonOf({ stderr = "", message, code, killed }: Failure, timeoutMs: number): string {
  if (code === "ENOENT") return "git is not installed, or the folder is not there";
  if (killed && timeoutMs > 0) return `git took longer than ${timeoutMs / 1000} s`;
  return stderr.trim() === "" ? message : stderr.trim();
}

/** Whether older commits are missing: a clone with a depth, as actions/checkout makes it. */
export async function isShallow(cwd: string): Promise<boolean> {
  return (await git(cwd, "rev-parse", "--is-shallow-repository").catch(() => "false")) === "true";
}

/**
 * Whether tracked files differ from the commit that is checked out, those of submodules included. New files do not
 * count: checkouts hold results of earlier runs.
 */
export async function hasUncommittedChanges(cwd: string): Promise<boolean> {
  const status = ["status", "--porcelain", "--untracked-files=no", "--ignore-submodules=none"];
  return (await git(cwd, ...status).catch(() => "")) !== "";
}
