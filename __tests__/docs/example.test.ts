/** docs/example: what the README shows is what the committed results make. */
import { execFile } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ROOT } from "../support/own-set.js";

const run = promisify(execFile);
const EXAMPLE = join(ROOT, "docs/example");
const TIMEOUT_MS = 60_000;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  cpSync(EXAMPLE, folder, { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** What is stale, as the script prints it; "" for nothing. */
async function checked(path: string): Promise<string> {
  const args = [join(ROOT, "scripts/example.mjs"), "--check", path];
  return await run(process.execPath, args).then(
    () => "",
    (error: { readonly stderr: string }) => error.stderr,
  );
}

describe("docs/example", () => {
  it("has the page and the pictures that its results make", { timeout: TIMEOUT_MS }, async () => {
    expect(await checked(EXAMPLE)).toBe("");
  });

  it("is stale where a file was changed by hand", { timeout: TIMEOUT_MS }, async () => {
    writeFileSync(join(folder, "index.html"), `${readFileSync(join(folder, "index.html"), "utf8")} `);
    cpSync(join(folder, "page-light.png"), join(folder, "comment-light.png"));
    expect(await checked(folder)).toMatch(/^not what results\.json makes: index\.html, comment-light\.png; /);
  });

  it("is stale where the results are others", { timeout: TIMEOUT_MS }, async () => {
    const results = readFileSync(join(folder, "results.json"), "utf8");
    writeFileSync(join(folder, "results.json"), results.replaceAll('"uvicorn"', '"unicorn"'));
    const stale = await checked(folder);
    for (const name of ["index.html", "page-light.png", "page-dark.png"]) expect(stale).toContain(name);
  });
});
