/** What head has besides its commit: an app can read files that git ignores, and base's checkout has none. */
import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { nameSome } from "../../messages/sentence.js";
import { git } from "./git.js";
import { isOfCheckout } from "./same-files.js";
import { possibleSources } from "./sources.js";

/**
 * Names of files and folders that git ignores in head's checkout and that base's does not have, without installed packages, what Python
 * writes beside a module, and results of earlier runs.
 */
export async function ignoredInHeadOnly(base: string, head: string): Promise<string[]> {
  const list = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];
  const listing = await git(head, ...list).catch(() => "");
  const names = listing.split("\0").filter((name) => name !== "" && !/\.egg-info\/$/.test(name) && isOfCheckout(name));
  const found: string[] = [];
  for (const name of names) {
    const isResults = name.endsWith("/") && (await possibleSources(head, [`${name}results.json`])).length === 0;
    if (isResults || (await lstat(join(base, name)).catch(() => undefined))) continue;
    found.push(name);
  }
  return found;
}

export function ignoredNote(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [
    `Head has what git ignores and base lacks: ${nameSome(names)}. An app that reads it is not the same on both sides, whatever the commits say: remove it, or measure in a fresh clone.`,
  ];
}
