/** The unix socket of a row's server. */
import { dirname, join } from "node:path";
import { SetupError } from "../../errors.js";
import type { PlannedRow } from "../../plan/types.js";

/** Bytes of `sun_path`, without the zero at its end (unix(7)). */
const PATH_MAX_BYTES = 107;
const LONGEST_PORT = 65_535;

/** The two servers of a pair have different ports. */
export function socketPath(tempDir: string, port: number): string {
  return join(tempDir, `${port}.sock`);
}

/** @throws SetupError that names the first row whose socket could not be made in this folder */
export function checkSocketPath(rows: readonly PlannedRow[], tempDir: string): void {
  const row = rows.find(({ socket }) => socket);
  const bytes = Buffer.byteLength(socketPath(tempDir, LONGEST_PORT));
  if (row === undefined || bytes <= PATH_MAX_BYTES) return;
  throw new SetupError(
    `${row.id} needs a unix socket; its path in ${dirname(tempDir)} would have ${bytes} bytes, and ${PATH_MAX_BYTES} are allowed: set TMPDIR to a folder with a shorter path`,
  );
}
