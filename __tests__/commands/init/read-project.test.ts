/** A project's folder as it is on the disk. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readProject } from "../../../src/commands/init/read-project.js";
import { writeFiles } from "../../support/repository.js";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

it("has the files that say something of the app", async () => {
  writeFiles(folder, {
    "app.py": "app",
    Makefile: "run:",
    ".justfile": "run:",
    Pipfile: "",
    "web/Pipfile.lock": "{}",
    "pdm.lock": "",
    "notes.txt": "",
    "venv/app.py": "",
  });
  expect([...(await readProject(folder)).keys()]).toEqual([
    ".justfile",
    "Makefile",
    "Pipfile",
    "app.py",
    "pdm.lock",
    "web/Pipfile.lock",
  ]);
});

/** Root reads everything: then the test reads as another user. */
async function asNobody<T>(read: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return await read();
  process.seteuid?.(65_534);
  try {
    return await read();
  } finally {
    process.seteuid?.(0);
  }
}

it("leaves out folders and files that cannot be read, and names the project's own folder", async () => {
  writeFiles(folder, { "app.py": "app", "secret.py": "", "postgres-data/run.sh": "" });
  chmodSync(folder, 0o755);
  chmodSync(join(folder, "secret.py"), 0);
  chmodSync(join(folder, "postgres-data"), 0);
  expect([...(await asNobody(() => readProject(folder))).keys()]).toEqual(["app.py"]);
  chmodSync(folder, 0);
  await expect(asNobody(() => readProject(folder))).rejects.toThrow(/: cannot be read: EACCES/);
  chmodSync(folder, 0o700);
});
