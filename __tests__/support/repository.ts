/** Real git repositories in temporary folders. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export function git(cwd: string, ...args: string[]): string {
  const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.org", "-c", "protocol.file.allow=always"];
  const all = ["--no-optional-locks", ...identity, ...args];
  return execFileSync("git", all, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] }).trimEnd();
}

export function newRepository(folder: string): string {
  mkdirSync(folder, { recursive: true });
  git(folder, "init", "--quiet", "-b", "main");
  return folder;
}

export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** A folder of one side of a comparison. @returns its path */
export function writeSide(temp: string, side: string, files: Readonly<Record<string, string>>): string {
  const folder = join(temp, side);
  writeFiles(folder, files);
  return folder;
}

/** @returns the new commit's SHA */
export function commit(folder: string, files: Readonly<Record<string, string>>): string {
  writeFiles(folder, files);
  git(folder, "add", "--all");
  git(folder, "commit", "--quiet", "--allow-empty", "-m", "Change");
  return git(folder, "rev-parse", "HEAD");
}

/** All that a checkout could disturb: files, index, branches, worktrees, configuration. */
export function stateOf(folder: string): string {
  const listed = [
    ["status", "--porcelain"],
    ["for-each-ref"],
    ["worktree", "list"],
    ["config", "--list", "--local"],
    ["stash", "list"],
    ["submodule", "status"],
    ["reflog", "--all"],
  ];
  const index = readFileSync(join(folder, git(folder, "rev-parse", "--git-path", "index"))).toString("base64");
  return [...listed.map((args) => git(folder, ...args)), index].join("\n");
}
