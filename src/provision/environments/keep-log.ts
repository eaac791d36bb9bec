/** The output of a failed installation, where it is still there after the run. */
import { mkdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { replaceFile } from "../../replace-file.js";
import type { ProvisionContext } from "../context.js";
import type { EnvironmentTarget } from "./target.js";

/** @returns the file */
export async function keepLog(
  { cache, logDir = join(cache, "logs") }: ProvisionContext,
  { folder }: EnvironmentTarget,
  log: string,
): Promise<string> {
  const file = join(logDir, `${basename(folder)}.log`);
  await mkdir(logDir, { recursive: true });
  await replaceFile(file, log);
  return file;
}
