/**
 * Whether the later run that a comment's marker names can have written that comment. A bot that repeats what people write can
 * have our marker in its comments. A marker of a run that never existed would then block our comment for ever.
 */
import * as v from "valibot";
import { readAnswer } from "./answer.js";
import { type GitHub, toFailure } from "./client.js";
import { compareRuns, type RunAttempt } from "./comment-marker.js";
import type { OwnComment } from "./own-comments.js";

/** Older than every run, so that any run may replace the comment. */
const NO_RUN: RunAttempt = { id: 0, attempt: 0 };

const runSchema = v.object({
  path: v.string(),
  event: v.string(),
  run_attempt: v.nullish(v.number()),
  head_branch: v.nullish(v.string()),
  head_repository: v.nullish(v.object({ full_name: v.string() })),
});
type Run = v.InferOutput<typeof runSchema>;

type Lookup =
  | { readonly state: "known"; readonly run: Run }
  | { readonly state: "unknown" }
  /** GitHub refused to answer. */
  | { readonly state: "refused"; readonly reason: string };

export class ClaimedRuns {
  readonly #github: GitHub;
  readonly #ours: RunAttempt;
  readonly #log: (line: string) => void;
  /** Only runs that were found are kept: a run that was not found may have started meanwhile. */
  readonly #possible = new Set<string>();

  constructor(github: GitHub, ours: RunAttempt, log: (line: string) => void) {
    this.#github = github;
    this.#ours = ours;
    this.#log = log;
  }

  /**
   * Returns the comments. A marker that names an impossible run is replaced by one that is older than every run. No request if no
   * marker names a later run than ours; otherwise two for each such marker.
   */
  async checked(comments: readonly OwnComment[]): Promise<readonly OwnComment[]> {
    const checked: OwnComment[] = [];
    for (const comment of comments) {
      const { marker, url } = comment;
      if (compareRuns(marker.run, this.#ours) <= 0 || (await this.#isPossible(marker.run))) {
        checked.push(comment);
        continue;
      }
      const { id, attempt } = marker.run;
      this.#log(`Pull-request comment: ${url} names run ${id}, attempt ${attempt}, which is no later run: not counted`);
      checked.push({ ...comment, marker: { ...marker, run: NO_RUN } });
    }
    return checked;
  }

  async #isPossible(claimed: RunAttempt): Promise<boolean> {
    const key = `${claimed.id}/${claimed.attempt}`;
    if (!this.#possible.has(key) && (await this.#isImpossible(claimed))) return false;
    this.#possible.add(key);
    return true;
  }

  /** Impossible is only what GitHub's answers exclude. Without an answer the comment still counts as another run's. */
  async #isImpossible(claimed: RunAttempt): Promise<boolean> {
    const found = await this.#lookUp(claimed.id);
    // A token that cannot see our own run cannot see any.
    const ours = claimed.id === this.#ours.id ? found : await this.#lookUp(this.#ours.id);
    if (found.state === "refused" || ours.state !== "known") {
      const reason = found.state === "refused" ? found.reason : "this run is not shown to the token";
      this.#log(`Pull-request comment: not known whether run ${claimed.id} exists (${reason}): taken for a later one`);
      return false;
    }
    return found.state === "unknown" || !couldReplace(found.run, claimed.attempt, ours.run);
  }

  async #lookUp(id: number): Promise<Lookup> {
    const { octokit, owner, repo } = this.#github;
    try {
      const { data } = await octokit.rest.actions.getWorkflowRun({ owner, repo, run_id: id });
      return { state: "known", run: readAnswer(runSchema, data, `run ${id}`) };
    } catch (error) {
      const { kind, message } = toFailure(error);
      return kind === "not-found" ? { state: "unknown" } : { state: "refused", reason: message };
    }
  }
}

/** All runs with one comment belong to one workflow, and those of a pull request to one branch. */
function couldReplace(later: Run, attempt: number, ours: Run): boolean {
  if (attempt > (later.run_attempt ?? 1)) return false;
  if (fileOf(later) !== fileOf(ours)) return false;
  const ofPulls = later.event === "pull_request" && ours.event === "pull_request";
  return !ofPulls || (later.head_branch === ours.head_branch && repositoryOf(later) === repositoryOf(ours));
}

/** GitHub writes the path with and without "@ref" behind it. */
function fileOf({ path }: Run): string {
  return path.split("@", 1)[0] ?? "";
}

function repositoryOf({ head_repository: repository }: Run): string | undefined {
  return repository?.full_name.toLowerCase();
}
