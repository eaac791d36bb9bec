/** `command: run`: measure, compare, upload, and comment. */

import { openDisplay } from "../commands/display.js";
import { checkOutputFolder } from "../commands/output-folder.js";
import { planHead, planLatency } from "../commands/run/head-plan.js";
import type { RunOutcome, RunRequest } from "../commands/run/request.js";
import { run } from "../commands/run/run.js";
import { checkServers } from "../commands/run/stored.js";
import { InputError, Interrupted, SetupError } from "../errors.js";
import { renderStopped } from "../report/comment/comment.js";
import { type ChosenAgainst, chooseAgainst } from "./against.js";
import { type CommentTarget, RunComment } from "./comment.js";
import { type ActionContext, withoutCommands } from "./context.js";
import { INPUT_NAMES } from "./inputs.js";
import { type Published, publish } from "./publish.js";
import { repeatCommand } from "./repeat-command.js";

export async function runAction(action: ActionContext): Promise<Published> {
  const runUrl = action.job?.runUrl ?? "";
  const comment = RunComment.open(action, commentTarget(action));
  let measured: Measured;
  try {
    measured = await withoutCommands(action.context, () => measure(action, comment));
  } catch (error) {
    // Wrong input is found before the comment says that something is measured.
    if (!(error instanceof InputError)) await commentStopped(comment, error, runUrl);
    throw error;
  }
  const { outcome, chosen } = measured;
  if (!outcome.written) {
    await comment?.finish(renderStopped({ reason: "the run was cancelled", runUrl }));
    throw new SetupError("interrupted before anything was measured");
  }
  const { notes, files } = chosen;
  return await publish(action, { ...outcome.written, exitCode: outcome.exitCode }, comment, { notes, files });
}

interface Measured {
  readonly outcome: RunOutcome;
  readonly chosen: ChosenAgainst;
}

async function measure(action: ActionContext, comment: RunComment | undefined): Promise<Measured> {
  const { inputs, context, log } = action;
  const display = openDisplay(context.stdout, context.env);
  await checkOutputFolder(inputs.run.out, "out");
  const planned = await planHead(inputs.run, INPUT_NAMES, context, display.setup);
  // A shard need not measure the anchor: any server of the scenario files is right.
  checkServers("anchor", inputs.compare.anchors, [...planned.plan.library.servers.keys()]);
  const chosen = await chooseAgainst(action);
  for (const note of chosen.notes) log(`note ${note}`);
  const { against, notes } = chosen;
  const request: RunRequest = {
    ...inputs.run,
    against,
    head: planLatency(planned, against, INPUT_NAMES),
    notes,
    command: repeatCommand({ ...inputs.run, scenarios: inputs.scenariosDir }, against),
  };
  const outcome = await run(request, context, display, {
    begin: async (rows) => comment?.begin(rows),
    between: async (done) => comment?.progress(done),
  });
  return { outcome, chosen };
}

async function commentStopped(comment: RunComment | undefined, error: unknown, runUrl: string): Promise<void> {
  await comment?.finish(renderStopped({ reason: stopReason(error), runUrl }));
}

function stopReason(error: unknown): string {
  if (error instanceof Interrupted) return "the run was cancelled";
  return error instanceof SetupError ? error.message : "a defect of server-bench; the log has the stack";
}

function commentTarget({ job }: ActionContext): CommentTarget | undefined {
  if (job?.event.kind !== "pull_request") return undefined;
  const { runId, runAttempt, runUrl, event } = job;
  return { pullRequest: event.pullRequest.number, run: { id: runId, attempt: runAttempt, url: runUrl } };
}
