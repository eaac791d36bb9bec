/** Formats of poetry.lock. */

/** The first format with the groups and markers of each package: that of Poetry 2.0. */
const FIRST = { major: 2, minor: 1 };

/**
 * Whether a lock records which packages belong to the app and which to its developers. Poetry 1 does not.
 * @param version `lock-version` of the lock's metadata
 */
export function recordsGroups(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > FIRST.major || (major === FIRST.major && minor >= FIRST.minor);
}
