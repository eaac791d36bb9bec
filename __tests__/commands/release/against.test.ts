/** What a release is measured beside, in a real repository. */
import { expect, it } from "vitest";
import { againstPrevious } from "../../../src/commands/release/against.js";
import { USUAL_PRECISION } from "../../../src/compare/precision.js";
import { findReleaseTags } from "../../../src/release/checkout-tags.js";
import { tempFolder } from "../../support/cli.js";
import { commit, git, newRepository } from "../../support/repository.js";

async function against(tag: string) {
  const repository = newRepository(tempFolder());
  for (const name of ["v0.9.0", "v1.0.0"]) {
    commit(repository, { "app.py": name });
    git(repository, "tag", name);
  }
  git(repository, "checkout", "--quiet", tag);
  const options = { tag: "--tag", previous: "--previous" };
  const tags = await findReleaseTags({ tag, previous: undefined, cwd: repository, options });
  const limits = { budgetMinutes: undefined, latency: false, precision: USUAL_PRECISION };
  return await againstPrevious(tags, repository, limits);
}

it("is the previous release, called by its tag and by no option that nobody gave", async () => {
  expect(await against("v1.0.0")).toMatchObject({
    kind: "paired",
    base: { source: { kind: "commit", asked: "v0.9.0", given: "v0.9.0", ref: "v0.9.0" } },
    ifUnusable: "measure-head-alone",
  });
});

it("is nothing for a first release", async () => {
  expect(await against("v0.9.0")).toMatchObject({
    kind: "none",
    because: { reason: expect.stringContaining("v0.9.0 is the first release") },
  });
});
