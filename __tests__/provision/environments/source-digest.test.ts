/** When a local requirement is built anew: after every change of what git would keep, and after no other. */
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { folderDigest, sourceDigest } from "../../../src/provision/environments/source-digest.js";
import { commit, git, newRepository, writeFiles } from "../../support/repository.js";

let temp: string;
let checkout: string;
beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
  checkout = newRepository(join(temp, "checkout"));
  commit(checkout, { "server.py": "one\n", ".gitignore": "target/\n" });
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

it("sees edited and new files, not ignored ones", async () => {
  const before = await folderDigest(checkout);
  writeFiles(checkout, { "target/built.so": "x" });
  expect(await folderDigest(checkout)).toBe(before);
  writeFiles(checkout, { "new.py": "x" });
  const added = await folderDigest(checkout);
  expect(added).not.toBe(before);
  rmSync(join(checkout, "new.py"));
  expect(await folderDigest(checkout)).toBe(before);
  writeFileSync(join(checkout, "server.py"), "two\n");
  expect(await folderDigest(checkout)).not.toBe(before);
});

it("is the same for the same files elsewhere", async () => {
  git(temp, "clone", "--quiet", checkout, "another place");
  const digests = [checkout, join(temp, "another place")].map((folder) =>
    sourceDigest([`tiny @ file://${folder.replaceAll(" ", "%20")}`]),
  );
  expect(new Set(await Promise.all(digests)).size).toBe(1);
  expect(await sourceDigest(["tiny==1.0"])).toBe("");
});

it("sees the files of submodules", async () => {
  const inner = newRepository(join(temp, "inner"));
  commit(inner, { "lib.py": "one\n" });
  git(checkout, "submodule", "--quiet", "add", inner, "inner");
  commit(checkout, {});
  const before = await folderDigest(checkout);
  writeFileSync(join(checkout, "inner/lib.py"), "two\n");
  expect(await folderDigest(checkout)).not.toBe(before);
  // A repository that the checkout does not know is no part of it.
  writeFileSync(join(checkout, "inner/lib.py"), "one\n");
  git(checkout, "clone", "--quiet", inner, "foreign");
  const beside = await folderDigest(checkout);
  writeFileSync(join(checkout, "foreign/lib.py"), "three\n");
  expect(await folderDigest(checkout)).toBe(beside);
});
