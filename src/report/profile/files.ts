/** Names of the files that hold a row's stacks, from the folder of the results. */
import type { ProfileTree } from "../../compare/profile-tree.js";
import type { SampledProfile } from "../../results/profile.js";

export const PROFILES_FOLDER = "profiles";

interface ProfileFiles {
  /** Collapsed stacks. */
  readonly base: string;
  readonly head: string;
  /** Both sides, for speedscope. */
  readonly speedscope: string;
}

/** The stacks of a row, as they were found beside the results. */
export type RowStacks =
  | { readonly state: "read"; readonly tree: ProfileTree }
  | { readonly state: "damaged"; readonly reason: string };

/** `interfaces/asgi-bytes` at 64 connections -> `interfaces__asgi-bytes-c64` */
function profileName(id: string, connections: number): string {
  return `${id.replaceAll("/", "__").replace(/[^\w.-]/g, "_")}-c${connections}`;
}

export function profileFiles({ id, connections }: Pick<SampledProfile, "id" | "connections">): ProfileFiles {
  const name = `${PROFILES_FOLDER}/${profileName(id, connections)}`;
  return { base: `${name}.base.txt`, head: `${name}.head.txt`, speedscope: `${name}.speedscope.json` };
}
