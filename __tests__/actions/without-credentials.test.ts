/** The token that actions/checkout leaves in a checkout is not there while foreign code runs. */
import { mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { withoutCredentials } from "../../src/actions/without-credentials.js";
import { commit, git, newRepository } from "../support/repository.js";

const KEY = "http.https://github.com/.extraheader";
const VALUE = "AUTHORIZATION: basic dG9rZW4=";

let temp: string;
let checkout: string;
beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
  checkout = newRepository(join(temp, "checkout"));
  commit(checkout, { "app/app.py": "" });
});
afterEach(() => rmSync(temp, { recursive: true }));

/** What git finds, from a folder of the checkout as well. */
const found = () => git(join(checkout, "app"), "config", "--get", "--default", "none", KEY);

const ways = {
  "its configuration": () => {
    git(checkout, "config", KEY, VALUE);
    return join(checkout, ".git/config");
  },
  "a file that its configuration includes": () => {
    const file = join(temp, "git-credentials-1.config");
    writeFileSync(file, "", { mode: 0o600 });
    git(checkout, "config", "--file", file, KEY, VALUE);
    git(checkout, "config", `includeIf.gitdir:${checkout}/.git.path`, file);
    return file;
  },
};

it.each(Object.entries(ways))("in %s", async (_, leave) => {
  const file = leave();
  const [before, { mode }] = [readFileSync(file, "utf8"), statSync(file)];
  expect(found()).toBe(VALUE);
  const lines: string[] = [];
  const seen = await withoutCredentials(
    checkout,
    (line) => lines.push(line),
    async () => {
      expect(git(checkout, "status", "--porcelain")).toBe("");
      return [found(), readFileSync(file, "utf8").includes("dG9rZW4=")];
    },
  );
  expect(seen).toEqual(["none", false]);
  expect(lines).toEqual([expect.stringContaining("persist-credentials: false")]);
  expect([readFileSync(file, "utf8"), statSync(file).mode]).toEqual([before, mode]);
  // Also after a run that fails.
  const failing = async () => Promise.reject(new Error("failed"));
  await expect(withoutCredentials(checkout, () => {}, failing)).rejects.toThrow("failed");
  expect(found()).toBe(VALUE);
});

it("a checkout without one, and a folder that is none, are left alone", async () => {
  for (const folder of [checkout, temp])
    expect(
      await withoutCredentials(
        folder,
        (line) => expect.unreachable(line),
        async () => "done",
      ),
    ).toBe("done");
});
