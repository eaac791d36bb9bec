/** How large a folder is, and how sizes are written. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

const MIB = 1024 * 1024;

/** `14.2 MiB` */
export function mebibytes(bytes: number): string {
  return `${(bytes / MIB).toFixed(1)} MiB`;
}

/** Bytes of all files below a folder; a link counts nothing. */
export async function folderBytes(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(file.parentPath, file.name))).size));
  return sizes.reduce((sum, size) => sum + size, 0);
}
