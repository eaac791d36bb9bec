/** What is seen of changes in base's folders, also of those that were undone. */
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { changedSince, type FolderKind, takeSnapshot } from "../../../src/provision/sides/snapshot.js";
import { writeFiles } from "../../support/repository.js";

let temp: string;
let file: string;
beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  writeFiles(temp, { "site/app.py": "one\n", "site/shared.py": "two\n", "elsewhere/x": "", ".git/index": "" });
  linkSync(join(temp, "site/shared.py"), join(temp, "elsewhere/shared.py"));
  symlinkSync("app.py", join(temp, "site/link.py"));
  file = join(temp, "site/app.py");
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

async function changes(change: () => void, kind: FolderKind = "environment"): Promise<string[]> {
  const snapshot = await takeSnapshot({ path: temp, kind });
  change();
  return await changedSince(snapshot);
}

it("sees a folder that is gone", async () => {
  expect(await changes(() => rmSync(temp, { recursive: true }))).toEqual([
    expect.stringMatching(/^files that cannot be read any more \(ENOENT/),
  ]);
});

it("sees nothing where nothing changed", async () => {
  expect(await changes(() => statSync(file))).toEqual([]);
  expect(await changes(() => writeFileSync(join(temp, ".git/index"), "refreshed"))).toEqual([]);
});

it.each<[string, () => void, string]>([
  ["a line at the end", () => appendFileSync(file, "x = 1\n"), "site/app.py was changed"],
  [
    "a change of the same size that was undone, times included",
    () => {
      const { atime, mtime } = statSync(file);
      writeFileSync(file, "two\n");
      writeFileSync(file, "one\n");
      utimesSync(file, atime, mtime);
    },
    "site/app.py was changed",
  ],
  ["a mode", () => chmodSync(file, 0o755), "site/app.py was changed"],
  ["a removed file", () => unlinkSync(file), "site/app.py was removed"],
  ["a new file", () => writeFileSync(join(temp, "site/__pycache__"), ""), "site/__pycache__ was added"],
  [
    "another target of a link",
    () => {
      unlinkSync(join(temp, "site/link.py"));
      symlinkSync("shared.py", join(temp, "site/link.py"));
    },
    "site/link.py was changed",
  ],
])("sees %s", async (_, change, expected) => {
  expect(await changes(change)).toEqual([expected]);
});

it("reads a file with several names: another name is no change, other bytes are", async () => {
  const another = () => linkSync(join(temp, "site/shared.py"), join(tmpdir(), `${temp.slice(-6)}.py`));
  expect(await changes(another)).toEqual([]);
  unlinkSync(join(tmpdir(), `${temp.slice(-6)}.py`));
  expect(await changes(() => writeFileSync(join(temp, "elsewhere/shared.py"), "red\n"))).toEqual([
    "elsewhere/shared.py was changed",
    "site/shared.py was changed",
  ]);
});

it("lets an app add data to its checkout, and no code", async () => {
  const add = (name: string) => () => writeFiles(temp, { [name]: "x" });
  expect(await changes(add("db.sqlite3"), "checkout")).toEqual([]);
  expect(await changes(add("site/__pycache__/app.cpython-311.pyc"), "checkout")).toEqual([
    "site/__pycache__/app.cpython-311.pyc was added",
  ]);
  expect(await changes(() => appendFileSync(join(temp, "db.sqlite3"), "y"), "checkout")).toEqual([
    "db.sqlite3 was changed",
  ]);
});
