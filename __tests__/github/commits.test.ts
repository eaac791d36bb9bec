import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { verifyCommits } from "../../src/github/commits.js";
import type { PullRequest } from "../../src/github/job.js";
import type { Results } from "../../src/results/schema.js";
import { quickClient } from "../support/github/client.js";
import { GitHubDouble, shaOf } from "../support/github/double.js";
import { sampleResults } from "../support/results.js";

const HEAD = shaOf("head");
const BASE = shaOf("base");
const MERGE = shaOf("merge");
const PULL: PullRequest = {
  ...{ number: 7, headSha: HEAD, headRef: "feature", headRepository: "mallory/server" },
  ...{ baseRef: "main", baseSha: BASE, fork: true },
};

let double: GitHubDouble;
beforeEach(async () => {
  double = await GitHubDouble.start();
});
afterEach(async () => {
  await double[Symbol.asyncDispose]();
});

interface Named {
  readonly head?: string | undefined;
  readonly base?: string;
  readonly confirmedWith?: string;
}

function naming({ head, base, confirmedWith }: Named): Results {
  const { comparison: _, run, ...results } = sampleResults();
  const { git: __, ...rest } = run;
  return {
    ...results,
    run: { ...rest, ...(head !== undefined && { git: { sha: head } }) },
    ...(base !== undefined && {
      comparison: {
        ...{ mode: "paired", base: { sha: base }, rows: [] },
        ...(confirmedWith !== undefined && { confirmedWith: { sha: confirmedWith } }),
      },
    }),
  };
}

const verify = (...named: readonly Named[]) => verifyCommits(quickClient(double), PULL, named.map(naming));

describe("the head that results name", () => {
  it("is verified without a request where it is the pull request's", async () => {
    expect(await verify({ head: HEAD })).toEqual({ head: "verified", base: "verified" });
    expect(double.requests).toEqual([]);
  });

  it("is verified where it is GitHub's merge of it", async () => {
    double.addCommit(MERGE, { parents: [BASE, HEAD], byGitHub: true });
    expect(await verify({ head: MERGE })).toMatchObject({ head: "verified" });
    expect(double.requests).toHaveLength(1);
  });

  it.each([
    { what: "a merge of the same parents that somebody pushed", parents: [BASE, HEAD], byGitHub: false },
    { what: "GitHub's merge of another head", parents: [BASE, shaOf("other")], byGitHub: true },
    { what: "GitHub's merge into the head", parents: [HEAD, BASE], byGitHub: true },
    { what: "a commit upon the head", parents: [HEAD], byGitHub: true },
  ])("is claimed where it is $what", async ({ what: _, ...commit }) => {
    double.addCommit(MERGE, commit);
    expect(await verify({ head: MERGE })).toMatchObject({ head: "claimed" });
  });

  it.each([
    { what: "nothing", head: undefined },
    { what: "a branch", head: "main" },
    { what: "a commit that GitHub does not know", head: shaOf("unknown") },
    { what: "a text", head: "reviewed, safe to merge" },
  ])("is claimed where it is $what", async ({ head }) => {
    expect(await verify({ head })).toMatchObject({ head: "claimed" });
  });

  it("is claimed where one of the shards names another one", async () => {
    expect(await verify({ head: HEAD }, { head: shaOf("other") })).toMatchObject({ head: "claimed" });
  });

  it("costs no request for each of many", async () => {
    const many = Array.from({ length: 200 }, (_, i) => ({ head: shaOf(`${i}`), base: shaOf(`base ${i}`) }));
    expect(await verify(...many)).toEqual({ head: "claimed", base: "claimed" });
    expect(double.requests).toEqual([]);
  });
});

describe("the base that results name", () => {
  it("is verified without a request where it is the pull request's", async () => {
    expect(await verify({ head: HEAD, base: BASE, confirmedWith: BASE })).toMatchObject({ base: "verified" });
    expect(double.requests).toEqual([]);
  });

  it("is verified where it lies on the base branch", async () => {
    const older = shaOf("older");
    double.addComparison("main", older, { aheadBy: 0, behindBy: 4 });
    expect(await verify({ head: HEAD, base: older })).toMatchObject({ base: "verified" });
    expect(await verify({ head: HEAD, base: BASE, confirmedWith: older })).toMatchObject({ base: "verified" });
  });

  it("is claimed where it does not", async () => {
    const slow = shaOf("a slow one of the fork");
    double.addComparison("main", slow, { aheadBy: 1, behindBy: 0 });
    expect(await verify({ head: HEAD, base: slow })).toMatchObject({ base: "claimed" });
    expect(await verify({ head: HEAD, base: BASE, confirmedWith: slow })).toMatchObject({ base: "claimed" });
    expect(await verify({ head: HEAD, base: "main" })).toMatchObject({ base: "claimed" });
    expect(await verify({ head: HEAD, base: shaOf("unknown") })).toMatchObject({ base: "claimed" });
  });

  it("is claimed where GitHub does not answer", async () => {
    const older = shaOf("older");
    double.addComparison("main", older, { aheadBy: 0 });
    double.fail({ path: /compare/, status: 403, body: { message: "Resource not accessible by integration" } });
    expect(await verify({ head: HEAD, base: older })).toMatchObject({ base: "claimed" });
  });
});
