/** What a release is measured beside, in real repositories. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { againstPrevious } from "../../../src/commands/release/against.js";
import { USUAL_PRECISION } from "../../../src/compare/precision.js";
import { findReleaseTags } from "../../../src/release/checkout-tags.js";
import { commit, git, newRepository } from "../../support/repository.js";

let temp: string;
let repository: string;
beforeAll(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
  const shared = newRepository(join(temp, "shared"));
  commit(shared, { "bench/mine.yml": "title: Mine" });
  repository = newRepository(join(temp, "checkout"));
  git(repository, "submodule", "--quiet", "add", shared, "sub");
  commit(repository, { "app.py": "" });
  git(repository, "tag", "v0.9.0");
  commit(repository, { "sets/bench/mine.yml": "title: Mine" });
  git(repository, "tag", "v1.0.0");
  commit(repository, { "app.py": "changed" });
  git(repository, "tag", "v1.1.0");
  mkdirSync(join(temp, "outside"));
});
afterAll(() => rmSync(temp, { recursive: true, force: true }));

async function against(tag: string, scenarios: string | undefined, previous?: string) {
  const options = { tag: "--tag", previous: "--previous" };
  const tags = await findReleaseTags({ tag, previous, cwd: repository, options });
  const limits = { budgetMinutes: undefined, latency: false, precision: USUAL_PRECISION };
  return await againstPrevious(tags, { cwd: repository, scenarios }, limits);
}

it("is nothing where the previous release has no such scenarios, without options that nobody gave", async () => {
  const because = { kind: "base", reason: "v0.9.0 has no folder sets/bench" };
  expect(await against("v1.0.0", join(repository, "sets/bench"))).toEqual({ kind: "none", because });
  expect(await against("v1.1.0", join(repository, "sets/bench"), "v0.9.0")).toEqual({ kind: "none", because });
});

it.each([
  ["has the scenarios", "v1.1.0", "sets/bench"],
  ["is measured by built-in ones", "v1.0.0", undefined],
  ["has them in a submodule", "v1.0.0", "sub/bench"],
  ["is measured by those of another folder", "v1.0.0", "../outside"],
  // Planning refuses it for head.
  ["is asked for by a name that is wrong", "v1.0.0", "no-such"],
])("is the previous release where it %s", async (_, tag, scenarios) => {
  const folder = scenarios === undefined ? undefined : join(repository, scenarios);
  const previous = tag === "v1.0.0" ? "v0.9.0" : "v1.0.0";
  expect(await against(tag, folder)).toMatchObject({
    kind: "paired",
    base: { source: { kind: "commit", asked: previous, given: previous, ref: previous } },
    ifUnusable: "measure-head-alone",
  });
});

it("is nothing for a first release", async () => {
  expect(await against("v0.9.0", undefined)).toMatchObject({
    kind: "none",
    because: { reason: expect.stringContaining("v0.9.0 is the first release") },
  });
});
