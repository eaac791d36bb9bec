import { readFile } from "node:fs/promises";
import { join } from "node:path";

/** The version in the tool's own package.json. */
export async function toolVersion(root: string): Promise<string> {
  const manifest: unknown = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const version = (manifest as { version?: unknown }).version;
  return typeof version === "string" ? version : "unknown";
}
