/** What a release is compared with: the release before it, measured beside it in this run. */
import { realpath } from "node:fs/promises";
import { relative } from "node:path";
import { isWithin } from "../../is-within.js";
import { submodules } from "../../provision/sides/checkout.js";
import { git } from "../../provision/sides/git.js";
import { type BaseSource, findBase } from "../../provision/sides/sides.js";
import type { ReleaseTags } from "../../release/checkout-tags.js";
import type { Against, MeasuredBase } from "../run/against.js";

type Limits = Pick<MeasuredBase, "budgetMinutes" | "latency" | "precision">;

interface Measured {
  readonly cwd: string;
  /** Absolute. */
  readonly scenarios?: string | undefined;
}

/** A previous release without these scenarios is no mistake: this one may be the first to have them. */
export async function againstPrevious(
  { previous }: ReleaseTags,
  { cwd, scenarios }: Measured,
  { budgetMinutes, latency, precision }: Limits,
): Promise<Against> {
  if (previous.kind === "first") return nothing(previous.reason);
  const { tag, sha } = previous;
  // The commit is certain: a branch can have the tag's name.
  const found = await findBase(sha, cwd, "commit", `the previous release ${tag}`);
  const missing = scenarios === undefined ? undefined : await missingFolder(found, scenarios);
  if (missing !== undefined) return nothing(`${tag} has no folder ${missing}`);
  const source = found.kind === "commit" ? { ...found, asked: tag, given: tag, ref: tag } : found;
  return { kind: "paired", base: { source, budgetMinutes, latency, precision }, ifUnusable: "measure-head-alone" };
}

function nothing(reason: string): Against {
  return { kind: "none", because: { kind: "base", reason } };
}

/** The path of a folder that head has and the commit has not; undefined where it is both sides' or elsewhere. */
async function missingFolder(source: BaseSource, folder: string): Promise<string | undefined> {
  if (source.kind === "folder") return undefined;
  const { repository, sha } = source;
  const top = await realpath(repository);
  const own = await realpath(folder).catch(() => undefined);
  if (own === undefined || own === top || !isWithin(top, own)) return undefined;
  const path = relative(top, own);
  const has = await git(repository, "cat-file", "-e", `${sha}:${path}`).then(
    () => true,
    () => false,
  );
  const others = has ? [] : await submodules(repository, sha);
  return has || others.some((sub) => isWithin(sub.path, path)) ? undefined : path;
}
