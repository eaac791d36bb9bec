/** The stacks of merged results: copied from the folders of the parts, so that the merged page has their flame graphs. */

import { mkdir, readFile, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pairKey } from "../compare/sides.js";
import { codeOf } from "../errors.js";
import { oldestFirst, type Part } from "../merge/parts.js";
import { replaceFile } from "../replace-file.js";
import { PROFILES_FOLDER, profileFiles } from "../report/profile/files.js";
import type { SampledProfile } from "../results/profile.js";

/** A part that is a file, whose folder may have the stacks. */
export interface PartFile extends Part {
  readonly path: string;
}

/** A row that several parts sampled has the stacks of the newest part, as in its table. */
export async function copyProfiles(parts: readonly PartFile[], out: string): Promise<void> {
  const newest = new Map<string, { readonly profile: SampledProfile; readonly folder: string }>();
  for (const { results, path } of oldestFirst(parts)) {
    for (const profile of results.profiles ?? []) {
      if (profile.state === "sampled") newest.set(pairKey(profile), { profile, folder: dirname(path) });
      else newest.delete(pairKey(profile));
    }
  }
  if (newest.size > 0) await mkdir(join(out, PROFILES_FOLDER), { recursive: true });
  for (const { profile, folder } of newest.values())
    for (const file of Object.values(profileFiles(profile))) await copyOrRemove(join(folder, file), join(out, file));
}

/** Where the part has no such file, one of an earlier report must not stay: its stacks are not those of this row. */
async function copyOrRemove(from: string, to: string): Promise<void> {
  if (from === to) return;
  const stacks = await readFile(from).catch((error: unknown) => {
    if (codeOf(error) !== "ENOENT") throw error;
  });
  await (stacks === undefined ? rm(to, { force: true }) : replaceFile(to, stacks));
}
