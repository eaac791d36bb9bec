/** `environment.json`: written last, so that an environment with it is whole; it says what is in there. */
import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import * as v from "valibot";
import { writeFileAtomic } from "../cache/cache.js";
import { isProgram } from "../tools/find-on-path.js";

const MARKER = "environment.json";
/** Raised when environments are built in another way, so that older ones are built again. */
export const MARKER_FORMAT = 1;

const markerSchema = v.strictObject({
  format: v.literal(MARKER_FORMAT),
  server: v.string(),
  requires: v.array(v.string()),
  python: v.object({ executable: v.string(), version: v.string() }),
  /** The virtual environment: a folder beside this file, under a new name with every build. */
  venv: v.pipe(v.string(), v.regex(/^venv-[0-9a-f]+$/)),
  packages: v.array(v.object({ name: v.string(), version: v.string() })),
  sizeBytes: v.number(),
});
export type Marker = v.InferOutput<typeof markerSchema>;

/** The marker of a folder; undefined when the environment is not there, not whole, or its interpreter is gone. */
export async function readMarker(folder: string): Promise<Marker | undefined> {
  try {
    const marker = v.parse(markerSchema, JSON.parse(await readFile(join(folder, MARKER), "utf8")));
    const venv = join(folder, marker.venv);
    await stat(join(venv, "pyvenv.cfg"));
    // A link to the interpreter that the environment was made from: false once that was removed.
    return (await isProgram(join(venv, "bin", "python"))) ? marker : undefined;
  } catch {
    return undefined;
  }
}

export async function writeMarker(folder: string, marker: Marker): Promise<void> {
  await writeFileAtomic(join(folder, MARKER), `${JSON.stringify(marker, undefined, 2)}\n`);
}
