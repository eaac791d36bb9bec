/** The websocket client: a program of the project's own, which needs nothing but a Python. */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { messageOf, SetupError } from "../../errors.js";
import type { ProvisionContext } from "../context.js";
import { defaultPython } from "../environments/python.js";
import type { Tool } from "../types.js";

const FOLDER = join("python-apps", "clients", "websocket");
const HASH_DIGITS = 8;

/** Above this file, which stands in src/ or in the bundle. @throws SetupError */
function clientFolder(): string {
  const here = fileURLToPath(import.meta.url);
  for (let folder = dirname(here); folder !== dirname(folder); folder = dirname(folder)) {
    if (existsSync(join(folder, FOLDER))) return join(folder, FOLDER);
  }
  throw new SetupError(`the websocket client is missing: no folder ${FOLDER} above ${here}; install the tool again`);
}

/** Of its sources: figures that were made with another client are not compared. */
async function contentHash(folder: string): Promise<string> {
  const hash = createHash("sha256");
  const files = (await readdir(folder)).filter((name) => name.endsWith(".py")).sort();
  for (const name of files) hash.update(name).update(await readFile(join(folder, name)));
  return hash.digest("hex").slice(0, HASH_DIGITS);
}

/** Always the machine's own Python: a row's may be another one. @throws SetupError when there is no Python */
export async function provideWebsocketClient(context: ProvisionContext): Promise<Tool> {
  try {
    return await websocketClient(context);
  } catch (error) {
    context.run.signal.throwIfAborted();
    context.progress.failed("websocket client", messageOf(error));
    throw error;
  }
}

async function websocketClient(context: ProvisionContext): Promise<Tool> {
  const folder = clientFolder();
  const python = await defaultPython(context);
  return {
    path: python.executable,
    // Its own folder alone is on the path, and nothing is written beside its sources.
    args: ["-I", "-B", folder],
    version: `${await contentHash(folder)} (Python ${python.version})`,
  };
}
