/** `command: run`: measure, compare, upload, and tell the pull request. */
import { openDisplay } from "../commands/display.js";
import { type RunOutcome, run } from "../commands/run/run.js";
import { InputError, SetupError } from "../errors.js";
import { renderStopped } from "../report/comment/comment.js";
import { type ChosenBase, chooseBase } from "./base.js";
import { type CommentTarget, RunComment } from "./comment.js";
import { type ActionContext, withoutCommands } from "./context.js";
import { type Published, publish } from "./publish.js";

export async function runAction(action: ActionContext): Promise<Published> {
  const { inputs, context, job } = action;
  const comment = RunComment.open(action, commentTarget(action));
  const chosen = await chooseBase(action);
  for (const note of chosen.notes) action.log(`note   ${note}`);
  const command = [...inputs.run.command, ...comparedWith(chosen)];
  const options = { ...inputs.run, ...chosen.options, notes: chosen.notes, command };
  let outcome: RunOutcome;
  try {
    const hooks = {
      begin: async (rows: number) => comment?.begin(rows),
      between: async (done: number) => comment?.progress(done),
    };
    outcome = await withoutCommands(context, () =>
      run(options, context, openDisplay(context.stdout, context.env), hooks),
    );
  } catch (error) {
    // Wrong input is known before anything is said in the comment.
    if (!(error instanceof InputError)) await tellStopped(comment, error, job?.runUrl ?? "");
    throw error;
  }
  const { results, resultsPath, reportPath, exitCode } = outcome;
  if (!results || !resultsPath || !reportPath) {
    await comment?.finish(renderStopped({ reason: "the run was cancelled", runUrl: job?.runUrl ?? "" }));
    throw new SetupError("interrupted before anything was measured");
  }
  const { notes, files } = chosen;
  return await publish(action, { results, resultsPath, reportPath, exitCode }, comment, { notes, files });
}

/** What repeats the comparison on another machine. */
function comparedWith({ options: { base, confirm }, files }: ChosenBase): string[] {
  const budget = base?.budgetMinutes ?? confirm?.base.budgetMinutes;
  return [
    ...(base ? ["--base", base.given] : []),
    // Files that were given are in the command already.
    ...files.flatMap((file) => ["--base-results", file]),
    ...(confirm ? ["--confirm", confirm.base.given] : []),
    ...(budget === undefined ? [] : ["--budget", String(budget)]),
  ];
}

async function tellStopped(comment: RunComment | undefined, error: unknown, runUrl: string): Promise<void> {
  const reason = error instanceof SetupError ? error.message : "a defect of server-bench; the log says more";
  await comment?.finish(renderStopped({ reason, runUrl }));
}

function commentTarget({ job }: ActionContext): CommentTarget | undefined {
  if (job?.event.kind !== "pull_request") return undefined;
  const { runId, runAttempt, runUrl, event } = job;
  return { pullRequest: event.pullRequest.number, run: { id: runId, attempt: runAttempt, url: runUrl } };
}
