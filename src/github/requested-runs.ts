/** Starts runs of the workflow that measures on request, finds them by their name and cancels them. */
import * as v from "valibot";
import { InputError } from "../errors.js";
import { readAnswer } from "./answer.js";
import { type GitHub, toFailure } from "./client.js";

export interface RequestedWorkflow {
  /** "bench-measure.yml" */
  readonly file: string;
  /** The branch whose workflow file runs: never the pull request's. */
  readonly branch: string;
}

const runsSchema = v.object({
  workflow_runs: v.array(
    v.object({ id: v.number(), event: v.string(), status: v.nullish(v.string()), display_title: v.string() }),
  ),
});

/** One request; only a rate limit repeats it. @throws InputError without such a workflow; what `toFailure` puts into words */
export async function startRequestedRun(
  { octokit, owner, repo }: GitHub,
  { file, branch }: RequestedWorkflow,
  request: string,
): Promise<void> {
  try {
    const target = { owner, repo, workflow_id: file, ref: branch };
    await octokit.rest.actions.createWorkflowDispatch({ ...target, inputs: { request } });
  } catch (error) {
    if (toFailure(error).kind !== "not-found") throw error;
    throw new InputError(`${branch} has no workflow ${file}: give its name in the input workflow`);
  }
}

/** One request, and one for each run that has not ended. @returns how many were cancelled; a run may end before that */
export async function cancelRequestedRuns(github: GitHub, file: string, title: string): Promise<number> {
  const { octokit, owner, repo } = github;
  const { data } = await octokit.rest.actions.listWorkflowRuns({
    owner,
    repo,
    workflow_id: file,
    event: "workflow_dispatch",
    exclude_pull_requests: true,
    per_page: 100,
  });
  const runs = readAnswer(runsSchema, data, `the list of the runs of ${file}`).workflow_runs.filter(
    (run) => run.event === "workflow_dispatch" && run.status !== "completed" && run.display_title === title,
  );
  let cancelled = 0;
  for (const { id } of runs) if (await cancelRun(github, id)) cancelled += 1;
  return cancelled;
}

/** Of a run that has ended. */
const CONFLICT = 409;

/** @returns whether GitHub accepted it @throws what `toFailure` puts into words */
async function cancelRun({ octokit, owner, repo }: GitHub, id: number): Promise<boolean> {
  try {
    await octokit.rest.actions.cancelWorkflowRun({ owner, repo, run_id: id });
    return true;
  } catch (error) {
    if (toFailure(error).status === CONFLICT) return false;
    throw error;
  }
}
