/** How sizes and times are shown, and how large a folder is. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

const MIB = 1024 * 1024;

/** `14.2 MiB` */
export function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}

/** `42 s`, `3m 05s` */
export function duration(seconds: number): string {
  const whole = Math.floor(seconds);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)}m ${String(whole % 60).padStart(2, "0")}s`;
}

/** Bytes of all files below a folder; a link counts nothing. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
