/** On a machine that outlives its jobs, nothing of a fork's pull request is installed or run unless the workflow says so. */
import type { ActionContext } from "./context.js";
import type { Published } from "./publish.js";

/** What GitHub's own runners have in RUNNER_ENVIRONMENT: their machine is gone after the job. */
const HOSTED = "github-hosted";

/** The step's end where the code is not to be run; undefined: it may be. */
export function refusedFork({ job, inputs, context, log }: ActionContext): Published | undefined {
  const fork = job?.fork || inputs.request?.fork;
  if (!fork || inputs.allowForks || context.env.RUNNER_ENVIRONMENT === HOSTED) return undefined;
  log(WHY);
  return {
    outputs: { verdict: "none", completed: 0, failed: 0 },
    annotations: [{ level: "notice", title: "Not measured", message: WHY }],
    summary: `**Not measured.** ${WHY}\n`,
  };
}

const WHY =
  "This pull request comes from a fork, and a self-hosted runner would run a stranger's code. To measure it, use a hosted runner (runs-on: ubuntu-latest), or set allow-forks: true on a machine that is only for forks.";
