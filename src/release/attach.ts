/** Attaches files to a release on GitHub. A file of the same name is replaced once the new one is there. */
import { createHash } from "node:crypto";
import { type GitHub, toFailure } from "../github/client.js";
import {
  deleteReleaseAsset,
  type ReleaseAsset,
  readReleaseAssets,
  renameReleaseAsset,
  uploadReleaseAsset,
} from "../github/release-assets.js";
import type { GitHubRelease } from "../github/releases.js";

export interface ReleaseFile {
  /** In the release. */
  readonly name: string;
  readonly contentType: string;
  readonly read: () => Promise<Buffer>;
}

export type Attached =
  | { readonly state: "attached"; readonly names: readonly string[] }
  /** One line: why, and what to do. */
  | { readonly state: "not-attached"; readonly reason: string };

interface WholeFile extends ReleaseFile {
  readonly bytes: Buffer;
  readonly digest: string;
}

/** Behind the name of a file that is to replace another one. */
const NEW = ".new";
/** GitHub describes uploads that break off with a 502 and leave an empty file. */
const ATTEMPTS = 2;

/** Never throws for GitHub's errors. */
export async function attachFiles(
  github: GitHub,
  release: GitHubRelease,
  files: readonly ReleaseFile[],
): Promise<Attached> {
  const names = files.map(({ name }) => name);
  try {
    const given = await Promise.all(files.map(readWhole));
    const there = await readReleaseAssets(github, release.id);
    const missing = given.filter((file) => !there.some((asset) => isSame(asset, file)));
    if (missing.length > 0 && release.immutable) return { state: "not-attached", reason: immutable(names) };
    for (const file of missing) await replace(github, release, file);
    return { state: "attached", names };
  } catch (error) {
    return { state: "not-attached", reason: `${names.join(" and ")} were not attached: ${toFailure(error).message}` };
  }
}

function immutable(names: readonly string[]): string {
  return `${names.join(" and ")} were not attached: the release is immutable; files can be attached only while it is a draft`;
}

async function readWhole(file: ReleaseFile): Promise<WholeFile> {
  const bytes = await file.read();
  return { ...file, bytes, digest: `sha256:${createHash("sha256").update(bytes).digest("hex")}` };
}

function isSame({ name, digest, whole }: ReleaseAsset, file: WholeFile): boolean {
  return whole && name === file.name && digest?.toLowerCase() === file.digest;
}

/** Deletes the older file after the upload, not before it: if the upload fails, the release keeps what it had. */
async function replace(github: GitHub, release: GitHubRelease, file: WholeFile): Promise<void> {
  const fresh = { ...file, name: `${file.name}${NEW}` };
  const there = await readReleaseAssets(github, release.id);
  const older = there.filter(({ name }) => name === file.name);
  // A file with the other name is of a run that ended before it could rename it.
  if (!there.some(({ name, whole }) => whole && (name === file.name || name === fresh.name))) {
    await send(github, release, file);
    return;
  }
  const id = await send(github, release, fresh);
  for (const { id: old } of older) await deleteReleaseAsset(github, old);
  await renameReleaseAsset(github, id, file.name);
}

/** Removes what has the name of the file and is another one. @returns the id of the file in the release */
async function send(github: GitHub, release: GitHubRelease, file: WholeFile): Promise<number> {
  for (let attempt = 1; ; attempt += 1) {
    const there = await readReleaseAssets(github, release.id);
    const own = there.filter(({ name }) => name === file.name);
    // An upload whose answer was lost, or of an earlier run.
    const done = own.find((asset) => isSame(asset, file));
    if (done) return done.id;
    for (const { id } of own) await deleteReleaseAsset(github, id);
    try {
      return await uploadReleaseAsset(github, release, file);
    } catch (error) {
      const { kind } = toFailure(error);
      if (attempt === ATTEMPTS || (kind !== "server" && kind !== "unreachable")) throw error;
    }
  }
}
