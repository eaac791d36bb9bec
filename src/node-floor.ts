/** The oldest Node that everything here runs on. This file loads nothing: an older Node fails while it loads the rest. */

/** zlib.crc32 came with 20.15, parentPath of folder entries with 20.12; package.json's `engines` has the same number. */
const FLOOR: readonly [number, number] = [20, 15];

/** What to say to the user of an older Node; undefined: it is new enough. @param version such as 20.14.0 */
export function nodeTooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  const enough = major > FLOOR[0] || (major === FLOOR[0] && minor >= FLOOR[1]);
  return enough
    ? undefined
    : `server-bench needs Node ${FLOOR.join(".")} or newer, and this is Node ${version}; install a newer one (https://nodejs.org)`;
}
