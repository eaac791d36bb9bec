/** Whether the results that a job reports are its own repository's, or claims of a pull request's run. */
import type { Job } from "../github/job.js";
import type { Checked, Trust } from "../report/trust/trust.js";

/** Runs of these events use code that is already on the branch. */
const OF_THE_BRANCH: readonly string[] = ["push", "schedule", "workflow_dispatch"];

const UNCHECKED = { head: "claimed", base: "claimed" } as const;

/**
 * A run of a branch of this repository is no better than a fork's: both run the code of the pull request. Only runs of the
 * default branch are trusted.
 * @param commits what GitHub says of the commits that the results name
 * @param requested a request (`/bench`) made an earlier job of this run measure a pull request
 */
export function trustOf(
  { event, owner, repo, defaultBranch }: Job,
  commits: { readonly head: Checked; readonly base: Checked } = UNCHECKED,
  requested = false,
): Trust {
  if (requested) return { kind: "pull-request-run", head: commits.head, base: commits.base };
  if (event.kind !== "workflow_run") return { kind: "own" };
  const { run } = event;
  const ours = run.headRepository?.toLowerCase() === `${owner}/${repo}`.toLowerCase();
  const landed = defaultBranch !== undefined && run.headBranch === defaultBranch && OF_THE_BRANCH.includes(run.event);
  return ours && landed ? { kind: "own" } : { kind: "pull-request-run", head: commits.head, base: commits.base };
}
