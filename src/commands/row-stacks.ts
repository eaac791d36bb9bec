/** The stacks beside a results file -> trees for the page's flame graphs. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { parseStacks, type Stack } from "../compare/profile-stacks.js";
import { profileTree } from "../compare/profile-tree.js";
import { codeOf, messageOf } from "../errors.js";
import { profileFiles, type RowStacks } from "../report/profile/files.js";
import type { SampledProfile } from "../results/profile.js";
import type { Results } from "../results/schema.js";

/** By the name of head's file. A row without files has no entry: results are often kept without their stacks. */
export async function readRowStacks(
  folder: string,
  { profiles = [] }: Pick<Results, "profiles">,
): Promise<Map<string, RowStacks>> {
  const rows = new Map<string, RowStacks>();
  for (const profile of profiles) {
    if (profile.state !== "sampled") continue;
    const stacks = await readRow(folder, profile);
    if (stacks !== undefined) rows.set(profileFiles(profile).head, stacks);
  }
  return rows;
}

async function readRow(folder: string, profile: SampledProfile): Promise<RowStacks | undefined> {
  const files = profileFiles(profile);
  try {
    const base = await readStacks(folder, files.base);
    const head = await readStacks(folder, files.head);
    return base && head && { state: "read", tree: profileTree(profile, { base, head }) };
  } catch (error) {
    // The row's table needs no stacks: the page is written without this graph, and names the file.
    return { state: "damaged", reason: messageOf(error) };
  }
}

/** Undefined: there is no such file. @throws Error that names the file, for one that cannot be read */
async function readStacks(folder: string, file: string): Promise<Stack[] | undefined> {
  try {
    return parseStacks(await readFile(join(folder, file), "utf8"));
  } catch (error) {
    if (codeOf(error) === "ENOENT") return undefined;
    throw new Error(`${file}: ${messageOf(error)}`);
  }
}
