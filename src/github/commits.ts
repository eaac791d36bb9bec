/** Whether a pull request's own results name the commits of the pull request. */
import * as v from "valibot";
import type { Results } from "../results/schema.js";
import { readAnswer } from "./answer.js";
import { type GitHub, toFailure } from "./client.js";
import type { PullRequest } from "./job.js";

/** `verified`: GitHub confirms it. `claimed`: only the results say so. */
type Checked = "verified" | "claimed";

export interface CheckedCommits {
  /** The measured commit is the pull request's head, or GitHub's merge of that head. */
  readonly head: Checked;
  /** The compared base lies on the base branch, or nothing was compared. */
  readonly base: Checked;
}

const SHA = /^[0-9a-f]{40}$/;
/** Shards name one commit. Results that name more than these are not checked commit by commit. */
const MAX_COMMITS = 2;

const commitSchema = v.object({
  parents: v.array(v.object({ sha: v.string() })),
  committer: v.nullish(v.object({ login: v.optional(v.string()) })),
  commit: v.object({ verification: v.optional(v.object({ verified: v.boolean() })) }),
});
const comparisonSchema = v.object({ ahead_by: v.number() });

/**
 * At most four requests. The pull request's own head and base need none. A commit that GitHub does not show is `claimed`.
 * @param results all files that the run made: each of them has to name the right commits
 */
export async function verifyCommits(
  github: GitHub,
  pull: PullRequest,
  results: readonly Results[],
): Promise<CheckedCommits> {
  const heads = results.map(({ run }) => run.git?.sha);
  const bases = results.flatMap(({ comparison }) =>
    comparison ? [comparison.base.sha, ...(comparison.confirmedWith ? [comparison.confirmedWith.sha] : [])] : [],
  );
  return {
    head: await allOf(heads, async (sha) => sha === pull.headSha || (await isMergeOf(github, sha, pull.headSha))),
    base: await allOf(bases, async (sha) => sha === pull.baseSha || (await isOn(github, pull.baseRef, sha))),
  };
}

async function allOf(
  claimed: readonly (string | undefined)[],
  holds: (sha: string) => Promise<boolean>,
): Promise<Checked> {
  const commits = [...new Set(claimed)];
  if (commits.length > MAX_COMMITS) return "claimed";
  for (const sha of commits) {
    if (sha === undefined || !SHA.test(sha)) return "claimed";
    if (!(await orFalse(() => holds(sha)))) return "claimed";
  }
  return "verified";
}

/**
 * `refs/pull/N/merge`, which GitHub makes and signs with its own key. A pushed merge of the same parents may have other files,
 * and this repository shows every commit of a fork too.
 */
async function isMergeOf({ octokit, owner, repo }: GitHub, sha: string, headSha: string): Promise<boolean> {
  const { data } = await octokit.rest.repos.getCommit({ owner, repo, ref: sha });
  const { parents, committer, commit } = readAnswer(commitSchema, data, "the measured commit");
  const byGitHub = committer?.login === "web-flow" && commit.verification?.verified === true;
  return byGitHub && parents.length === 2 && parents[1]?.sha === headSha;
}

async function isOn({ octokit, owner, repo }: GitHub, branch: string, sha: string): Promise<boolean> {
  const basehead = `${branch}...${sha}`;
  const { data } = await octokit.rest.repos.compareCommitsWithBasehead({ owner, repo, basehead, per_page: 1 });
  return readAnswer(comparisonSchema, data, "the comparison of two commits").ahead_by === 0;
}

/** If GitHub refuses, nothing is confirmed. */
async function orFalse(check: () => Promise<boolean>): Promise<boolean> {
  try {
    return await check();
  } catch (error) {
    toFailure(error);
    return false;
  }
}
