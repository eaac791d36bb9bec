/** Finds the pull request of a `workflow_run`. For forks GitHub's event does not name it, and an artifact could name a wrong one. */
import * as v from "valibot";
import { readAnswer } from "./answer.js";
import { type GitHub, type GitHubFailure, toFailure } from "./client.js";
import type { MeasuredRun, PullRequest } from "./job.js";

export type FoundPullRequest =
  | { readonly state: "found"; readonly pullRequest: PullRequest }
  /** `reason` holds no text that a contributor chose: no branch, no title. */
  | { readonly state: "none"; readonly reason: string }
  | { readonly state: "refused"; readonly failure: GitHubFailure };

const repositorySchema = v.object({ full_name: v.string() });
const pullsSchema = v.array(
  v.object({
    number: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
    // The repository is null if the fork was deleted.
    head: v.object({ ref: v.string(), sha: v.string(), repo: v.nullish(repositorySchema) }),
    base: v.object({ ref: v.string(), sha: v.string(), repo: repositorySchema }),
  }),
);
type Pull = v.InferOutput<typeof pullsSchema>[number];

/** The fields of the event that identify the pull request. */
interface Head {
  readonly repository: string;
  readonly branch: string;
  readonly sha: string;
}

/** The one open pull request whose head repository, branch and commit are those of the event. One request per 100. */
export async function findPullRequest(github: GitHub, run: MeasuredRun): Promise<FoundPullRequest> {
  if (run.event !== "pull_request") return none("the measured run was not started by a pull_request event");
  const { headRepository: repository, headBranch: branch, headSha: sha } = run;
  if (repository === undefined) return none("the repository that the pull request came from is gone");
  if (branch === undefined) return none("the measured run has no branch");
  try {
    return theOnlyOne(await openPullsFrom(github, { repository, branch, sha }), sha);
  } catch (error) {
    return { state: "refused", failure: toFailure(error) };
  }
}

/** GitHub ignores a `head` that it cannot read and lists all pull requests, so each field is compared here too. */
async function openPullsFrom(github: GitHub, head: Head): Promise<readonly Pull[]> {
  const { octokit, owner, repo } = github;
  const [headOwner] = head.repository.split("/", 1);
  const pulls = await octokit.paginate(octokit.rest.pulls.list, {
    owner,
    repo,
    state: "open",
    head: `${headOwner}:${head.branch}`,
    per_page: 100,
  });
  return readAnswer(pullsSchema, pulls, "the list of pull requests").filter(
    (pull) => pull.head.repo?.full_name === head.repository && pull.head.ref === head.branch,
  );
}

function theOnlyOne(ofBranch: readonly Pull[], sha: string): FoundPullRequest {
  const matching = ofBranch.filter((pull) => pull.head.sha === sha);
  const [pull] = matching;
  if (pull && matching.length === 1) return { state: "found", pullRequest: asPullRequest(pull) };
  if (pull) return none(`${matching.length} open pull requests match: ${numbers(matching)}`);
  if (ofBranch.length > 0)
    return none(`the pull request has newer commits than the measured ${sha.slice(0, 7)}: ${numbers(ofBranch)}`);
  return none("no open pull request comes from the measured run's branch: it was closed, merged or renamed");
}

function numbers(pulls: readonly Pull[]): string {
  return pulls.map(({ number }) => `#${number}`).join(", ");
}

function none(reason: string): FoundPullRequest {
  return { state: "none", reason };
}

function asPullRequest({ number, head, base }: Pull): PullRequest {
  return {
    number,
    headSha: head.sha,
    headRef: head.ref,
    headRepository: head.repo?.full_name,
    baseRef: base.ref,
    baseSha: base.sha,
    fork: head.repo?.full_name.toLowerCase() !== base.repo.full_name.toLowerCase(),
  };
}
