/** A temporary folder with both sides of a comparison and what a run writes: a new one for every test of the file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach } from "vitest";
import { writeSide } from "./repository.js";

export function sideFolders() {
  let temp: string;
  beforeEach(() => {
    temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  });
  afterEach(() => rmSync(temp, { recursive: true, force: true }));
  return {
    /** @returns the path of something in the folder */
    path: (name: string) => join(temp, name),
    /** Writes the files of a side. @returns its folder */
    write: (side: string, files: Readonly<Record<string, string>>) => writeSide(temp, side, files),
  };
}
