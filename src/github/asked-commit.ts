/** The commit that a request means, as a SHA. Later steps use this SHA only, because a branch can move. */
import * as v from "valibot";
import { InputError } from "../errors.js";
import { readAnswer } from "./answer.js";
import { type GitHub, toFailure } from "./client.js";

const SHA_DIGITS = 40;

const sha = v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/, "expected a commit's SHA"));
const repository = v.nullish(v.object({ full_name: v.string() }));
const pullSchema = v.object({
  number: v.number(),
  state: v.string(),
  locked: v.boolean(),
  head: v.object({ ref: v.string(), sha, repo: repository }),
  base: v.object({ ref: v.string(), sha }),
});
const activitySchema = v.array(
  v.object({
    before: sha,
    after: sha,
    ref: v.string(),
    timestamp: v.pipe(v.string(), v.isoTimestamp("expected a time")),
  }),
);

export interface AskedPull {
  readonly number: number;
  readonly open: boolean;
  readonly locked: boolean;
  readonly headSha: string;
  readonly headRef: string;
  readonly headRepository: string | undefined;
  readonly baseRef: string;
  readonly baseSha: string;
  readonly fork: boolean;
}

/** One request. @throws what `toFailure` puts into words */
export async function readPull({ octokit, owner, repo }: GitHub, number: number): Promise<AskedPull> {
  const { data } = await octokit.rest.pulls.get({ owner, repo, pull_number: number });
  const pull = readAnswer(pullSchema, data, "the pull request");
  const headRepository = pull.head.repo?.full_name;
  return {
    number,
    open: pull.state === "open",
    locked: pull.locked,
    headSha: pull.head.sha,
    headRef: pull.head.ref,
    headRepository,
    baseRef: pull.base.ref,
    baseSha: pull.base.sha,
    fork: headRepository?.toLowerCase() !== `${owner}/${repo}`.toLowerCase(),
  };
}

/**
 * A typed commit must be the head. At most one request: GitHub resolves a short SHA, and refuses one that fits several commits.
 * A person who can push could make a second commit with the same first digits.
 * @throws InputError for another commit; what `toFailure` puts into words
 */
export async function typedCommit(github: GitHub, pull: AskedPull, typed: string): Promise<string> {
  if (!pull.headSha.startsWith(typed))
    throw new InputError(`${typed} is not the head of this pull request, which is ${short(pull.headSha)} now`);
  if (typed.length === SHA_DIGITS) return pull.headSha;
  const { octokit, owner, repo } = github;
  try {
    const { data } = await octokit.rest.repos.getCommit({ owner, repo, ref: typed, per_page: 1 });
    if (readAnswer(v.object({ sha }), data, "the commit").sha === pull.headSha) return pull.headSha;
  } catch (error) {
    const { kind } = toFailure(error);
    if (kind !== "invalid" && kind !== "not-found") throw error;
  }
  throw new InputError(`${typed} does not name one commit: give all ${SHA_DIGITS} digits`);
}

/**
 * The head that the branch had when the comment was written, by GitHub's list of pushes: an author can choose the dates of
 * commits. One request.
 * @throws InputError where a push came since, or the list does not know; what `toFailure` puts into words
 */
export async function headAt(github: GitHub, pull: AskedPull, at: Date): Promise<string> {
  const { octokit, owner, repo } = github;
  const ref = `refs/heads/${pull.headRef}`;
  const { data } = await octokit.rest.repos.listActivities({ owner, repo, ref, per_page: 100 });
  const pushes = readAnswer(activitySchema, data, "the list of pushes").filter((push) => push.ref === ref);
  const [newest] = pushes;
  // Within the same second the order is unknown.
  const first = pushes.findLast(({ timestamp }) => Date.parse(timestamp) >= floorSecond(at));
  if (first) throw moved(first.before, pull.headSha === first.before ? first.after : pull.headSha);
  if (newest?.after !== pull.headSha)
    throw new InputError("GitHub does not list when the head was pushed: repeat the command with its commit");
  return pull.headSha;
}

/** A label's event names the head of that moment. @throws InputError if the head has moved since */
export function headOfEvent(pull: AskedPull, headSha: string): string {
  if (pull.headSha !== headSha) throw moved(headSha, pull.headSha, "remove the label and set it again");
  return headSha;
}

function moved(from: string, to: string, remedy = "repeat the command"): InputError {
  return new InputError(`the head moved from ${short(from)} to ${short(to)}; ${remedy}`);
}

function floorSecond(at: Date): number {
  return Math.floor(at.getTime() / 1000) * 1000;
}

function short(commit: string): string {
  return commit.slice(0, 12);
}
