/** Whether a row is identical on both sides: then nothing in it can have changed. */
import { isDeepStrictEqual } from "node:util";
import type { PlannedRow } from "../../plan/types.js";
import { normalizedRequires } from "../environments/key.js";
import { folderDigest, placelessRequires, sourceDigest } from "../environments/source-digest.js";

/** True where both sides start the same command, in the same environment, with an app of the same bytes. */
export async function isIdenticalOnBothSides(base: PlannedRow, head: PlannedRow): Promise<boolean> {
  if (!isDeepStrictEqual(startOf(base), startOf(head))) return false;
  const sources = [base, head].map(({ environment }) => sourceDigest(environment.requires).catch(() => undefined));
  if (!areEqual(await Promise.all(sources))) return false;
  if (base.server.cwd === head.server.cwd) return true;
  return areEqual(await Promise.all([base, head].map(({ server }) => folderDigest(server.cwd).catch(() => undefined))));
}

/** What could not be read may have changed. */
function areEqual([base, head]: readonly (string | undefined)[]): boolean {
  return base !== undefined && base === head;
}

/** What is installed and started, without the paths of the two sides. */
function startOf({ server, environment }: PlannedRow) {
  const placeless = (text: string) => text.replaceAll(server.cwd, "{app}");
  return {
    requires: placelessRequires(normalizedRequires(environment)),
    python: environment.python,
    command: server.command.map(placeless),
    env: Object.entries(server.env).map(([name, value]) => [name, placeless(value)]),
  };
}
