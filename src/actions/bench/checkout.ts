/** Checks the request again in the job that has the code: only the commit that was asked for is measured. */
import { InputError } from "../../errors.js";
import type { Job } from "../../github/job.js";
import { git } from "../../provision/sides/git.js";
import type { ActionContext } from "../context.js";

/** @throws InputError for another event than the one that dispatch makes, and another checkout than the commit */
export async function checkRequestedCheckout({ inputs, job, context }: ActionContext): Promise<void> {
  const { request } = inputs;
  if (request === undefined) return;
  checkRequestedEvent(job);
  const head = await git(context.cwd, "rev-parse", "--verify", "--quiet", "HEAD").catch(() => "no commit");
  if (head === request.sha) return;
  throw new InputError(
    `request: ${head} is checked out, not ${request.sha}: give actions/checkout "ref: \${{ fromJSON(inputs.request).sha }}"`,
  );
}

export function checkRequestedEvent(job: Job | undefined): void {
  if (job?.event.kind === "other" && job.event.name === "workflow_dispatch") return;
  throw new InputError("request: only a run that command: dispatch started (workflow_dispatch) takes one");
}
