/** When an attempt of a run began: a re-run keeps the run's id, and the artifacts of earlier attempts. */
import * as v from "valibot";
import { readAnswer } from "./answer.js";
import { type GitHub, type GitHubFailure, toFailure } from "./client.js";

export type AttemptStart =
  | { readonly state: "known"; readonly startedAt: Date }
  | { readonly state: "refused"; readonly failure: GitHubFailure };

const attemptSchema = v.object({ run_started_at: v.pipe(v.string(), v.isoTimestamp()) });

/** One call. */
export async function attemptStart(
  { octokit, owner, repo }: GitHub,
  runId: number,
  attempt: number,
): Promise<AttemptStart> {
  try {
    const target = { owner, repo, run_id: runId, attempt_number: attempt };
    const { data } = await octokit.rest.actions.getWorkflowRunAttempt(target);
    const { run_started_at: startedAt } = readAnswer(attemptSchema, data, "the attempt of the run");
    return { state: "known", startedAt: new Date(startedAt) };
  } catch (error) {
    return { state: "refused", failure: toFailure(error) };
  }
}
