/** `command: run`: measure, compare, upload, and comment. */

import { openDisplay } from "../commands/display.js";
import { checkOutputFolder } from "../commands/output-folder.js";
import { checkPlatform } from "../commands/platform.js";
import { planHead, planLatency } from "../commands/run/head-plan.js";
import { checkProfileRows } from "../commands/run/profile-rows.js";
import type { RunHooks, RunOutcome, RunRequest } from "../commands/run/request.js";
import { run } from "../commands/run/run.js";
import { checkServers } from "../commands/run/stored.js";
import { InputError, Interrupted, MachineBusy, SetupError } from "../errors.js";
import type { BaseOf } from "../github/base-runs.js";
import { machineFault } from "../messages/machine-fault.js";
import { renderStopped } from "../report/comment/comment.js";
import { type ChosenAgainst, chooseAgainst } from "./against.js";
import { checkRequestedCheckout } from "./bench/checkout.js";
import { type CommentTarget, RunComment } from "./comment.js";
import { type ActionContext, withoutCommands } from "./context.js";
import { finishInPeace } from "./finish-in-peace.js";
import { refusedFork } from "./fork-guard.js";
import { INPUT_NAMES } from "./inputs.js";
import { type Published, publish } from "./publish.js";
import { repeatCommands, typedOptions } from "./repeat-command.js";
import { uploadingIfStopped } from "./upload-stopped.js";
import { withoutCredentials } from "./without-credentials.js";

export async function runAction(action: ActionContext): Promise<Published> {
  checkPlatform("command: run");
  const refused = refusedFork(action);
  if (refused) return refused;
  const runUrl = action.job?.runUrl ?? "";
  const comment = RunComment.open(action, commentTarget(action));
  let measured: Measured;
  try {
    measured = await uploadingIfStopped(action, (stopped) =>
      withoutCommands(action.context, () => measure(action, comment, stopped)),
    );
  } catch (error) {
    // Wrong input is found before the first comment, so no comment has to be corrected.
    if (!(error instanceof InputError)) await finishInPeace(action.log, () => commentStopped(comment, error, runUrl));
    throw error;
  }
  return await finishInPeace(action.log, (cancelled) => report(action, measured, comment, cancelled));
}

async function report(
  action: ActionContext,
  measured: Measured,
  comment: RunComment | undefined,
  cancelled: AbortSignal,
): Promise<Published> {
  const runUrl = action.job?.runUrl ?? "";
  const { outcome, chosen } = measured;
  if (!outcome.written) {
    await comment?.finish(renderStopped({ reason: "the run was cancelled", runUrl }));
    throw new SetupError("interrupted before anything was measured");
  }
  const { notes, files } = chosen;
  const finished = { ...outcome.written, exitCode: outcome.exitCode };
  return await publish(action, finished, comment, { notes, files, base: baseOf(action), cancelled });
}

function baseOf({ job }: ActionContext): BaseOf | undefined {
  if (job?.event.kind !== "pull_request") return undefined;
  const { baseRef: branch, baseSha } = job.event.pullRequest;
  return { branch, baseSha, workflowFile: job.workflowFile };
}

interface Measured {
  readonly outcome: RunOutcome;
  readonly chosen: ChosenAgainst;
}

async function measure(
  action: ActionContext,
  comment: RunComment | undefined,
  stopped: NonNullable<RunHooks["stopped"]>,
): Promise<Measured> {
  const { inputs, context, log } = action;
  const display = openDisplay(context.stdout, context.env);
  await checkRequestedCheckout(action);
  await checkOutputFolder(inputs.run.out, "out");
  const planned = await planHead(inputs.run, INPUT_NAMES, context, display.setup);
  // The anchor may be measured by another shard, so any server of the scenario files is accepted.
  checkServers("anchor", inputs.compare.anchors, [...planned.plan.library.servers.keys()]);
  checkProfileRows(inputs.run.profileRows, planned.plan, "profile-rows");
  const chosen = await chooseAgainst(action);
  for (const note of chosen.notes) log(`note ${note}`);
  const { against, notes } = chosen;
  const request: RunRequest = {
    ...planned.run,
    against,
    head: planLatency(planned, against, INPUT_NAMES),
    notes: [...planned.notes, ...notes],
    ...repeatCommands(typedOptions(planned.run, action), against),
  };
  const hooks: RunHooks = {
    begin: async (rows) => comment?.begin(rows),
    waiting: async (wait) => comment?.waiting(wait),
    between: async (done) => comment?.progress(done),
    stopped,
  };
  const outcome = await withoutCredentials(context.cwd, log, () => run(request, context, display, hooks));
  return { outcome, chosen };
}

async function commentStopped(comment: RunComment | undefined, error: unknown, runUrl: string): Promise<void> {
  await comment?.finish(renderStopped({ reason: stopReason(error), runUrl }));
}

function stopReason(thrown: unknown): string {
  const error = machineFault(thrown) ?? thrown;
  if (error instanceof Interrupted) return "the run was cancelled";
  return error instanceof SetupError || error instanceof MachineBusy
    ? error.message
    : "a defect of server-bench; the log has the stack";
}

function commentTarget({ job }: ActionContext): CommentTarget | undefined {
  if (job?.event.kind !== "pull_request") return undefined;
  const { runId, runAttempt, runUrl, event } = job;
  return { pullRequest: event.pullRequest.number, run: { id: runId, attempt: runAttempt, url: runUrl } };
}
