/** Whether a row is identical on both sides: then nothing in it can have changed. */
import { isDeepStrictEqual } from "node:util";
import type { PlannedRow } from "../../plan/types.js";
import { contentOf } from "../environments/app-digest.js";
import { contentKey } from "../environments/key.js";
import { folderDigest, sourceDigest } from "../environments/source-digest.js";
import type { BaseSide } from "./sides.js";

/**
 * True where both sides start the same command, in the same environment, with an app of the same bytes. An app of the
 * user's can load any file of its checkout, so there both checkouts must be the same.
 */
export async function isIdenticalOnBothSides(
  base: PlannedRow,
  head: PlannedRow,
  { hasSameFiles }: Pick<BaseSide, "hasSameFiles">,
): Promise<boolean> {
  if (!isDeepStrictEqual(startOf(base), startOf(head))) return false;
  const sources = [base, head].map(({ environment }) => sourceDigest(environment.requires).catch(() => undefined));
  if (!areEqual(await Promise.all(sources))) return false;
  const installs = [base, head].map(({ environment }) => contentOf(environment.install).catch(() => undefined));
  if (!areEqual(await Promise.all(installs))) return false;
  const ofHead = usedFolders(head);
  const moved = usedFolders(base).flatMap((folder, index) => {
    const counterpart = ofHead[index] ?? "";
    return folder === counterpart ? [] : [[folder, counterpart]];
  });
  // What lies in server-bench's own folder is the same for both.
  if (moved.length > 0 && !(await hasSameFiles())) return false;
  for (const folders of moved) if (!areEqual(await Promise.all(folders.map(digestOf)))) return false;
  return true;
}

/** What could not be read may have changed. */
function areEqual([base, head]: readonly (string | undefined)[]): boolean {
  return base !== undefined && base === head;
}

/** The app's folder, and those of services that are started from theirs. */
function usedFolders({ server, preparation }: PlannedRow): string[] {
  const used = (preparation?.services ?? []).filter(({ command, env, ready }) =>
    JSON.stringify([command, env, ready]).includes("{folder}"),
  );
  return [server.cwd, ...used.map(({ folder }) => folder)];
}

async function digestOf(folder: string): Promise<string | undefined> {
  return await folderDigest(folder).catch(() => undefined);
}

/** What is installed and started, without the paths of the two sides. */
export function startOf({ server, environment, preparation }: PlannedRow) {
  const placeless = (text: string) => text.replaceAll(server.cwd, "{app}");
  const services = preparation?.services.map(({ folder: _, at: __, ...service }) => service);
  return {
    preparation: preparation && { ...preparation, services, beforeAt: "" },
    chosen: environment.chosen,
    installed: contentKey(environment),
    python: environment.python,
    command: server.command.map(placeless),
    env: Object.fromEntries(Object.entries(server.env).map(([name, value]) => [name, placeless(value)])),
  };
}
