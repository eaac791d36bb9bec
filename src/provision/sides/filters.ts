/**
 * Files that git gives another content when it checks them out (Git LFS, git-crypt). What a clone's own configuration says about that,
 * as `git lfs install --local` writes it, is not in the repository that base is checked out into; and no program that it names is run.
 */
import { createHash } from "node:crypto";
import { copyFile, lstat, open, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { git, gitWith } from "./git.js";

const LFS = "lfs";
const POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\n/;
/** Git LFS takes nothing longer for a pointer. */
const POINTER_BYTES = 1024;
const FETCH_LIMIT_MS = 120_000;

/** Options with which git checks out the pointers of Git LFS, whatever the machine's configuration says. */
export const POINTERS_ONLY = ["smudge=", "process=", "required=false"].flatMap((one) => ["-c", `filter.${LFS}.${one}`]);

/**
 * Gives the files of a checked-out commit the content that the user's checkout of another commit has.
 * @param repository the user's
 * @param target where the commit is checked out with `POINTERS_ONLY`
 * @throws Error for files whose content cannot be had
 */
export async function applyFilters(repository: string, sha: string, target: string): Promise<void> {
  const files = await filteredFiles(target);
  await checkOwnFilters(repository, target, files);
  await bringLfsFiles(repository, sha, target, files.get(LFS) ?? []);
}

type FilteredFiles = ReadonlyMap<string, readonly string[]>;

/** Names by their filter, as strings of bytes. */
async function filteredFiles(folder: string): Promise<FilteredFiles> {
  const options = { cwd: folder, encoding: "latin1" } as const;
  const input = await gitWith(options, "ls-files", "-z");
  const fields = (await gitWith({ ...options, input }, "check-attr", "--stdin", "-z", "filter")).split("\0");
  const files = new Map<string, string[]>();
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [name = "", , filter = ""] = fields.slice(at, at + 3);
    files.set(filter, [...(files.get(filter) ?? []), name]);
  }
  return files;
}

/** @throws Error for a filter that only the clone has: with it, head's files have another content than base's */
async function checkOwnFilters(repository: string, target: string, files: FilteredFiles): Promise<void> {
  const listing = await git(repository, "config", "--show-scope", "-z", "--get-regexp", "^filter\\.").catch(() => "");
  const fields = listing.split("\0");
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [scope = "", setting = ""] = fields.slice(at, at + 2);
    const [key = "", ...value] = setting.split("\n");
    const name = /^filter\.(.+)\.(?:smudge|process)$/.exec(key)?.[1];
    const [first] = name === undefined || name === LFS ? [] : (files.get(name) ?? []);
    if (name === undefined || first === undefined || !/^(local|worktree)$/.test(scope) || value.join("") === "cat")
      continue;
    if ((await git(target, "config", key).catch(() => "")) !== "") continue;
    throw new Error(
      `the clone's own configuration has the filter ${name}, which makes ${readable(first)} in head and would not in base; a clone's own programs are not run: set it up with git config --global ${key}`,
    );
  }
}

/** Only where head has their content: a checkout without Git LFS has pointers, and then both sides have. */
async function bringLfsFiles(repository: string, sha: string, target: string, files: readonly string[]): Promise<void> {
  const inHead = await Promise.all(files.map((name) => stateOf(place(repository, name))));
  const pointersOnly = inHead.includes("pointer") && !inHead.includes("content");
  const wanted = pointersOnly ? [] : files.filter((_, index) => inHead[index] !== "pointer");
  const stores = [await lfsStore(repository)];
  const missing = await bringFrom(stores, target, wanted);
  if (missing.length > 0) {
    stores.push(await fetchObjects(repository, sha, target));
    const [first, ...others] = await bringFrom(stores, target, missing);
    if (first !== undefined) {
      const more = others.length === 0 ? "" : ` and ${others.length} more`;
      throw new Error(
        `the clone lacks the content of ${readable(first)}${more}, which is in Git LFS; run git lfs fetch origin ${sha}`,
      );
    }
  }
  await takeAsCommitted(target, wanted);
}

/** Marks in the index what git would take for changed without its filter: builds would get the version of a changed checkout. */
async function takeAsCommitted(target: string, names: readonly string[]): Promise<void> {
  const input = names.map((name) => `${name}\0`).join("");
  const options = { cwd: target, encoding: "latin1", input } as const;
  if (input !== "") await gitWith(options, "update-index", "--assume-unchanged", "-z", "--stdin");
}

/** The same in a repository that was given the index of another one, for its files in Git LFS. */
export async function takeLfsAsCommitted(repository: string, target: string): Promise<void> {
  await takeAsCommitted(target, (await filteredFiles(repository)).get(LFS) ?? []);
}

/** @returns those whose content is in none of the stores */
async function bringFrom(stores: readonly string[], target: string, names: readonly string[]): Promise<string[]> {
  const missing: string[] = [];
  for (const name of names) {
    const file = place(target, name);
    const oid = await pointerIn(file);
    if (oid === undefined) continue;
    const objects = stores.map((store) => join(store, "objects", oid.slice(0, 2), oid.slice(2, 4), oid));
    if (!(await bringFirst(objects, file, oid))) missing.push(name);
  }
  return missing;
}

async function bringFirst(objects: readonly string[], file: Buffer, oid: string): Promise<boolean> {
  for (const object of objects) {
    const content = await readFile(object).catch(() => undefined);
    if (content === undefined || createHash("sha256").update(content).digest("hex") !== oid) continue;
    await copyFile(object, file);
    return true;
  }
  return false;
}

async function lfsStore(repository: string): Promise<string> {
  const gitFolder = resolve(repository, await git(repository, "rev-parse", "--git-common-dir"));
  return resolve(gitFolder, (await git(repository, "config", "lfs.storage").catch(() => "")) || LFS);
}

/** Without the clone's own configuration, which may name programs. @returns where the objects are */
async function fetchObjects(repository: string, sha: string, target: string): Promise<string> {
  const url = await git(repository, "config", "remote.origin.url").catch(() => "");
  const options = { cwd: target, timeoutMs: FETCH_LIMIT_MS };
  await gitWith(options, "-c", `remote.origin.url=${url}`, "lfs", "fetch", "origin", sha).catch(() => undefined);
  return await lfsStore(target);
}

/** Of a file of head; undefined where it is not there. */
async function stateOf(file: Buffer): Promise<"pointer" | "content" | undefined> {
  const found = await lstat(file).catch(() => undefined);
  if (!found?.isFile()) return undefined;
  return (await pointerIn(file)) === undefined ? "content" : "pointer";
}

/** The digest of the content that a pointer stands for. */
async function pointerIn(file: Buffer): Promise<string | undefined> {
  await using handle = await open(file);
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(POINTER_BYTES), 0, POINTER_BYTES, 0);
  return POINTER.exec(buffer.toString("latin1", 0, bytesRead))?.[1];
}

function place(folder: string, name: string): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, "latin1")]);
}

function readable(name: string): string {
  return Buffer.from(name, "latin1").toString("utf8");
}
