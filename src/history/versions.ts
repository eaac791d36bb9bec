/** Releases among the runs: their versions, and the order of them. */

export interface Version {
  /** As the tag is written: `v1.2.0`. */
  readonly text: string;
  readonly numbers: readonly number[];
  /** `rc1` of `1.2.0-rc1`; "" for a release. */
  readonly pre: string;
}

/** Undefined for a branch, and for any other reference that is no version. */
export function versionOf(ref: string | undefined): Version | undefined {
  const found =
    /^(?:refs\/tags\/)?((?:[\w-]{1,50}[-/@])?v?(\d{1,9}(?:\.\d{1,9}){1,3})(?:[-.]?((?:a|b|rc|alpha|beta|pre|dev)[\w.-]{0,50}))?)$/i.exec(
      ref ?? "",
    );
  const [, text, numbers, pre = ""] = found ?? [];
  if (text === undefined || numbers === undefined) return undefined;
  return { text, numbers: numbers.split(".").map(Number), pre };
}

/** Negative where a comes before b. */
export function compareVersions(a: Version, b: Version): number {
  for (let i = 0; i < Math.max(a.numbers.length, b.numbers.length); i += 1) {
    const difference = (a.numbers[i] ?? 0) - (b.numbers[i] ?? 0);
    if (difference !== 0) return difference;
  }
  // A pre-release comes before its release.
  if ((a.pre === "") !== (b.pre === "")) return a.pre === "" ? 1 : -1;
  return a.pre.localeCompare(b.pre, "en", { numeric: true });
}
