/** Which runs are of a release. */
import { readTag, type VersionTag } from "../release/tags.js";

/** A number alone may be a branch or a pull request: a version has at least two. */
const TWO_NUMBERS = /\d\.\d/;

/** Undefined for a branch, and for any other reference that is no version. */
export function versionOf(ref: string | undefined): VersionTag | undefined {
  const tag = (ref ?? "").replace(/^refs\/tags\//, "");
  return TWO_NUMBERS.test(tag) ? readTag(tag) : undefined;
}
