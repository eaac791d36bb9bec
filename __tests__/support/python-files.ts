/** What Python reads in a project's files, as `init` asks it. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type PythonFiles, parsePythonFiles, pythonSources } from "../../src/init/python-files.js";

export function pythonOf(files: ReadonlyMap<string, string>): PythonFiles {
  const sources = pythonSources(files);
  if (Object.keys(sources).length === 0) return {};
  const folder = mkdtempSync(join(tmpdir(), "python-files-"));
  try {
    const input = join(folder, "sources.json");
    writeFileSync(input, JSON.stringify(sources));
    // From the folder in which tests run: a bundle of fuzzing's targets lies elsewhere.
    const script = "python-apps/inspect/find_apps.py";
    return parsePythonFiles(
      execFileSync("python3", ["-I", "-S", script, input], { encoding: "utf8", timeout: 20_000 }),
    );
  } finally {
    rmSync(folder, { recursive: true });
  }
}
