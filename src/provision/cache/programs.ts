/**
 * Programs kept in the cache, one folder each, with a manifest. Code that runs as the same user can replace both the program
 * and its manifest; only a digest in our source shows that. Programs of releases have such a digest. Programs that were built
 * on this machine have none: their manifest shows damage, but no attack.
 */
import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { chmod, mkdir, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import * as v from "valibot";
import { messageOf } from "../../errors.js";
import type { ProvisionContext } from "../context.js";
import { isProgram } from "../tools/find-on-path.js";
import type { Tool } from "../types.js";
import { discard, publishFolder, removeFolder, temporarySibling, writeFileAtomic } from "./cache.js";

const MANIFEST = "manifest.json";
/** How the origin of a downloaded program begins; built ones have a command there. */
const RELEASE = "https://";
const manifestSchema = v.strictObject({
  name: v.string(),
  version: v.string(),
  sha256: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
  /** Where it came from: the address of a release asset, or the tool that built it. */
  origin: v.string(),
});
type BinaryManifest = v.InferOutput<typeof manifestSchema>;

export interface CachedBinary {
  readonly tool: Tool;
  /** Whether a digest in our source checks it; otherwise only its manifest does. */
  readonly pinned: boolean;
}

/**
 * The program of a cache folder.
 * @param digests SHA-256 of the programs that our source vouches for
 * @returns undefined when there is none, or when it was refused and removed (with a note)
 */
export async function cachedBinary(
  context: ProvisionContext,
  { folder, name, digests }: { readonly folder: string; readonly name: string; readonly digests: readonly string[] },
): Promise<CachedBinary | undefined> {
  const path = join(folder, name);
  if (!(await isProgram(path))) return undefined;
  let refusal: string;
  try {
    const manifest = v.parse(manifestSchema, JSON.parse(await readFile(join(folder, MANIFEST), "utf8")));
    const found = await sha256OfFile(path);
    const pinned = digests.includes(found);
    if (found !== manifest.sha256)
      refusal = `its SHA-256 is ${found}, and ${manifest.sha256} was recorded when it was installed`;
    else if (!pinned && manifest.origin.startsWith(RELEASE))
      refusal = `its SHA-256 is ${found}, which is not that of ${manifest.origin}`;
    else return { tool: { path, version: manifest.version }, pinned };
  } catch (error) {
    refusal = `its ${MANIFEST} cannot be used: ${messageOf(error)}`;
  }
  await refuseCached(context, path, folder, refusal);
  return undefined;
}

/** Removes a program from the cache, and says why. */
export async function refuseCached(
  context: ProvisionContext,
  path: string,
  folder: string,
  refusal: string,
): Promise<void> {
  await removeFolder(folder);
  context.progress.note(`${path} was refused and removed: ${refusal}; installing it again`);
}

export interface NewBinary {
  readonly name: string;
  readonly version: string;
  readonly origin: string;
  /** Checks the file before it is put into place; throws to refuse it. */
  readonly check: (path: string) => Promise<void>;
}

/** Moves a program into its cache folder, with its manifest, in one step. `source` must be on the cache's file system. */
export async function publishBinary(source: string, folder: string, binary: NewBinary): Promise<Tool> {
  const temporary = temporarySibling(folder);
  try {
    await mkdir(temporary, { recursive: true });
    const path = join(temporary, binary.name);
    await rename(source, path);
    await chmod(path, 0o755);
    const { name, version, origin } = binary;
    const manifest: BinaryManifest = { name, version, sha256: await sha256OfFile(path), origin };
    await binary.check(path);
    await writeFileAtomic(join(temporary, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
    await publishFolder(temporary, folder);
    return { path: join(folder, binary.name), version };
  } catch (error) {
    await discard(temporary);
    throw error;
  }
}

/** SHA-256 of a file's bytes, in hexadecimal. */
async function sha256OfFile(path: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(path), hash);
  return hash.digest("hex");
}
