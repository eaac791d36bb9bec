/** A double of GitHub and a temporary folder, new for each test of a file. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, vi } from "vitest";
import { GitHubDouble } from "./double.js";

/** @param use gets them before each test; after it they are removed, and stubbed variables too */
export function eachOnGitHub(use: (folder: string, github: GitHubDouble) => void): void {
  beforeEach(async () => {
    const folder = mkdtempSync(join(tmpdir(), "server-bench-test-"));
    const github = await GitHubDouble.start();
    use(folder, github);
    return async () => {
      vi.unstubAllEnvs();
      rmSync(folder, { recursive: true, force: true });
      await github[Symbol.asyncDispose]();
    };
  });
}
