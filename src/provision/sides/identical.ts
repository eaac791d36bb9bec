/** Whether a row can differ between two sides at all. */
import { isDeepStrictEqual } from "node:util";
import type { PlannedRow } from "../../plan/types.js";
import { normalizedRequires } from "../environments/key.js";
import { folderDigest, placelessRequires, sourceDigest } from "../environments/source-digest.js";

/** True where both sides start the same command, in the same environment, with an app of the same bytes. */
export async function isIdenticalOnBothSides(base: PlannedRow, head: PlannedRow): Promise<boolean> {
  if (!isDeepStrictEqual(startOf(base), startOf(head))) return false;
  const sources = [base, head].map(({ environment }) => sourceDigest(environment.requires));
  const [baseSource, headSource] = await Promise.all(sources);
  if (baseSource !== headSource) return false;
  if (base.server.cwd === head.server.cwd) return true;
  const apps = await Promise.all([base, head].map(({ server }) => folderDigest(server.cwd).catch(() => undefined)));
  return apps[0] !== undefined && apps[0] === apps[1];
}

/** What is installed and started, without the places of the two sides. */
function startOf({ server, environment }: PlannedRow) {
  const placeless = (text: string) => text.replaceAll(server.cwd, "{app}");
  return {
    requires: placelessRequires(normalizedRequires(environment)),
    python: environment.python,
    command: server.command.map(placeless),
    env: Object.entries(server.env).map(([name, value]) => [name, placeless(value)]),
  };
}
