/** The folder of a release's page, named after its tag. */
import { createHash } from "node:crypto";

/** What has another meaning in the published folder. */
const TAKEN: ReadonlySet<string> = new Set(["index.html", "releases.json", "cname", "404.html", "history"]);
const LONGEST = 100;
const HASH_DIGITS = 8;

/**
 * The tag itself where that is a safe name; else a safe one, which a hash keeps apart from those of other tags.
 * Letters, digits, `.`, `-` and `_`, the first one a letter or a digit.
 */
export function folderName(tag: string): string {
  const safe = /^[A-Za-z0-9][\w.-]*$/.test(tag) && tag.length <= LONGEST && !TAKEN.has(tag.toLowerCase());
  if (safe) return tag;
  const hash = createHash("sha256").update(tag).digest("hex").slice(0, HASH_DIGITS);
  const readable = tag
    .replace(/[^A-Za-z0-9.]+/g, "-")
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, "")
    .slice(0, LONGEST);
  return readable === "" ? `release-${hash}` : `${readable}-${hash}`;
}
