/** What a release is compared with: the release before it, measured beside it in this run. */
import { findBase } from "../../provision/sides/sides.js";
import type { ReleaseTags } from "../../release/checkout-tags.js";
import type { Against, MeasuredBase } from "../run/against.js";

type Limits = Pick<MeasuredBase, "budgetMinutes" | "latency" | "precision">;

/**
 * A previous release without these scenarios is no mistake: this one may be the first to have them.
 * @param option how the previous tag can be given, for messages
 */
export async function againstPrevious(
  { previous }: ReleaseTags,
  cwd: string,
  { budgetMinutes, latency, precision }: Limits,
  option: string,
): Promise<Against> {
  if (previous.kind === "first") return { kind: "none", because: { kind: "base", reason: previous.reason } };
  const found = await findBase(previous.sha, cwd, "commit", option);
  // The commit is certain: a branch can have the tag's name.
  const source =
    found.kind === "commit"
      ? { ...found, asked: `${option} ${previous.tag}`, given: previous.tag, ref: previous.tag }
      : found;
  return { kind: "paired", base: { source, budgetMinutes, latency, precision }, ifUnusable: "measure-head-alone" };
}
