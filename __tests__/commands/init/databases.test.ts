/** Database files of a project that no commit has. */
import { join } from "node:path";
import { expect, it } from "vitest";
import { untrackedDatabases } from "../../../src/commands/init/databases.js";
import { tempFolder } from "../../support/cli.js";
import { commit, newRepository, writeFiles } from "../../support/repository.js";

it("are those that git ignores or does not know, and none of another folder's", async () => {
  const repository = newRepository(join(tempFolder(), "company"));
  commit(repository, { ".gitignore": "*.sqlite3\n", "shop/manage.py": "", "shop/fixtures.db": "" });
  writeFiles(repository, {
    "shop/db.sqlite3": "",
    "shop/data/cache.db": "",
    "other/db.sqlite3": "",
    "shop/notes.txt": "",
  });
  expect((await untrackedDatabases(join(repository, "shop"))).toSorted()).toEqual(["data/cache.db", "db.sqlite3"]);
});

it("are none outside of git", async () => {
  const folder = tempFolder();
  writeFiles(folder, { "db.sqlite3": "" });
  expect(await untrackedDatabases(folder)).toEqual([]);
});
