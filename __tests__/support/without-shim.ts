/** Puts the Python itself before a shim of it (pyenv): a shim is a shell script, and takes six times the CPU time to start. */
import { spawnSync } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** Each project of vitest.config.ts calls it; the first call does it for all of them. */
export default function setup(): void {
  const path = process.env.PATH ?? "";
  const found = path.split(delimiter).find((folder) => existsSync(join(folder, "python3")));
  const { stdout } = spawnSync("python3", ["-I", "-S", "-c", "import sys; print(sys.executable)"], {
    encoding: "utf8",
  });
  const folder = dirname(stdout?.trim() ?? "");
  if (found === undefined || !existsSync(join(folder, "python3")) || isSame(found, folder)) return;
  process.env.PATH = `${folder}${delimiter}${path}`;
}

function isSame(found: string, folder: string): boolean {
  return realpathSync(join(found, "python3")) === realpathSync(join(folder, "python3"));
}
