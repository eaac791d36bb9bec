/** What a release is compared with: the release before it, measured beside it in this run. */
import { findBase } from "../../provision/sides/sides.js";
import type { ReleaseTags } from "../../release/checkout-tags.js";
import type { Against, MeasuredBase } from "../run/against.js";

type Limits = Pick<MeasuredBase, "budgetMinutes" | "latency" | "precision">;

/** A previous release without these scenarios is no mistake: this one may be the first to have them. */
export async function againstPrevious(
  { previous }: ReleaseTags,
  cwd: string,
  { budgetMinutes, latency, precision }: Limits,
): Promise<Against> {
  if (previous.kind === "first") return { kind: "none", because: { kind: "base", reason: previous.reason } };
  const { tag, sha } = previous;
  // The commit is certain: a branch can have the tag's name.
  const found = await findBase(sha, cwd, "commit", `the previous release ${tag}`);
  const source = found.kind === "commit" ? { ...found, asked: tag, given: tag, ref: tag } : found;
  return { kind: "paired", base: { source, budgetMinutes, latency, precision }, ifUnusable: "measure-head-alone" };
}
