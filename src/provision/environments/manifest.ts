/** `environment.json`: written last, so that an environment with it is whole; it says what is in there. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { writeFileAtomic } from "../cache/cache.js";
import { isProgram } from "../tools/find-on-path.js";

export const MANIFEST = "environment.json";
/** Raised when environments are built in another way, so that older ones are built again. */
export const MANIFEST_FORMAT = 4;

const manifestSchema = v.strictObject({
  format: v.literal(MANIFEST_FORMAT),
  server: v.string(),
  requires: v.array(v.string()),
  python: v.object({ executable: v.string(), version: v.string() }),
  /** The virtual environment: a folder beside this file, under a new name with every build. */
  venv: v.pipe(v.string(), v.regex(/^venv-[0-9a-f]+$/)),
  packages: v.array(v.object({ name: v.string(), version: v.string() })),
  sizeBytes: v.number(),
  /** Of all files of the virtual environment, bytecode included. */
  contentDigest: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)),
});
export type EnvironmentManifest = v.InferOutput<typeof manifestSchema>;

/** The manifest of a folder; undefined when the environment is not there, not whole, or its interpreter is gone. */
export async function readManifest(folder: string): Promise<EnvironmentManifest | undefined> {
  try {
    const manifest = v.parse(manifestSchema, JSON.parse(await readFile(join(folder, MANIFEST), "utf8")));
    const venv = join(folder, manifest.venv);
    await stat(join(venv, "pyvenv.cfg"));
    // A link to the interpreter that the environment was made from: false once that was removed.
    return (await isProgram(join(venv, "bin", "python"))) ? manifest : undefined;
  } catch {
    return undefined;
  }
}

export async function writeManifest(folder: string, manifest: EnvironmentManifest): Promise<void> {
  await writeFileAtomic(join(folder, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`);
}
