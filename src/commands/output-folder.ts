/** Whether results can be written, found out before anything is installed or measured. */
import { access, constants, lstat, mkdtemp, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InputError } from "../errors.js";
import { CHARTS_FOLDER } from "../report/charts/charts.js";
import { PROFILES_FOLDER } from "../report/profile/files.js";
import { LOGS_FOLDER } from "./run/request.js";

export const RESULTS_FILE = "results.json";
export const REPORT_FILE = "report.md";
export const PAGE_FILE = "index.html";

/** Below it. */
const FOLDERS = [PROFILES_FOLDER, LOGS_FOLDER, CHARTS_FOLDER];

/**
 * Leaves nothing behind.
 * @param option as the user knows it: `--out`, or the input `out`
 * @throws InputError for a folder in which no file can be made
 */
export async function checkOutputFolder(folder: string, option: string): Promise<void> {
  const asked = `${option} ${folder}`;
  const files = [RESULTS_FILE, REPORT_FILE, PAGE_FILE].map((name) => join(folder, name));
  // A pull request can hold a link, which leads out of its checkout.
  for (const path of [folder, ...FOLDERS.map((name) => join(folder, name)), ...files]) await refuseLink(path, asked);
  const existing = await nearestFolder(folder, asked);
  // Permissions are not enough: nothing can be created in /proc, whoever asks.
  const probe = await mkdtemp(join(existing, ".server-bench-")).catch((error: Error) => {
    throw new InputError(`${asked}: cannot be written (${error.message}); give another folder`);
  });
  await rmdir(probe);
  if (existing !== folder) return;
  for (const path of files) await checkFile(path, asked);
}

async function refuseLink(path: string, asked: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  if (found?.isSymbolicLink())
    throw new InputError(`${asked}: ${path} is a link, and nothing is written through links; give the folder itself`);
}

/** The folder itself, or the nearest one above it that exists. */
async function nearestFolder(folder: string, asked: string): Promise<string> {
  for (let path = folder; ; path = dirname(path)) {
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory() || dirname(path) === path) return path;
    if (found) throw new InputError(`${asked}: ${path} is a file; give a folder`);
  }
}

async function checkFile(path: string, asked: string): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (!found) return;
  if (!found.isFile()) throw new InputError(`${asked}: ${path} is no file, so that it cannot be replaced`);
  await access(path, constants.W_OK).catch(() => {
    throw new InputError(`${asked}: ${path} cannot be written; change its permissions, or give another folder`);
  });
}
