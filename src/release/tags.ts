/** Tags -> releases in the order of their versions, and the one before a release. */
import { compareVersions, isPrerelease, parseVersion, type Version } from "./version.js";

export interface VersionTag {
  readonly tag: string;
  /** What stands before the version: "" of `v1.2.3` and `1.2.3`, `granian-` of `granian-1.2.3`. */
  readonly prefix: string;
  readonly version: Version;
}

/** `name-1.2.3`, `name/v1.2.3`, `name@1.2.3`, `name_1.2.3`. */
const PREFIXED = /^(?<prefix>.*[a-z].*?[-/@_])(?<version>v?\d.*)$/i;

/** Undefined where the tag names no version. */
export function readTag(tag: string): VersionTag | undefined {
  const version = parseVersion(tag);
  if (version) return { tag, prefix: "", version };
  const groups = PREFIXED.exec(tag)?.groups;
  const behind = groups && parseVersion(groups.version ?? "");
  return behind && { tag, prefix: (groups.prefix ?? "").toLowerCase(), version: behind };
}

type Previous =
  | { readonly kind: "found"; readonly tag: string; readonly ignored: readonly string[] }
  /** No earlier version among the tags. */
  | { readonly kind: "first"; readonly ignored: readonly string[] }
  /** The tag itself names no version, so that it has no place in the order. */
  | { readonly kind: "no-version" };

/**
 * The release before `tag`, of the tags with the same prefix. A final release follows the last final one: what its
 * pre-releases changed is new to whoever has that. A pre-release follows whatever came before it.
 */
export function previousTag(tags: readonly string[], tag: string): Previous {
  const own = readTag(tag);
  if (!own) return { kind: "no-version" };
  const others = tags.filter((other) => other !== tag);
  const ignored = others.filter((other) => readTag(other) === undefined);
  const earlier = others
    .flatMap((other) => readTag(other) ?? [])
    .filter(({ prefix, version }) => prefix === own.prefix && compareVersions(version, own.version) < 0)
    .sort(compareTags);
  const finals = earlier.filter(({ version }) => !isPrerelease(version));
  const last = (isPrerelease(own.version) ? undefined : finals.at(-1)) ?? earlier.at(-1);
  return last ? { kind: "found", tag: last.tag, ignored } : { kind: "first", ignored };
}

/** By version; of equal ones by name: of `v1`, which may move with every release, and `v1.0.0` the latter is last. */
export function compareTags(a: VersionTag, b: VersionTag): number {
  return compareVersions(a.version, b.version) || (a.tag < b.tag ? -1 : Number(a.tag > b.tag));
}
