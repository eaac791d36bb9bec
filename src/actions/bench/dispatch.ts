/**
 * `command: dispatch`: a comment or a label in a pull request starts the workflow that measures. The job checks nothing out.
 * The comment's text reaches no shell, no output and no log before it was checked.
 *
 * It sends at most four requests until the run is started: permission, pull request, its pushes or the typed commit, the start. Then it
 * sends a reaction.
 */
import { InputError } from "../../errors.js";
import { type AskedPull, headAt, headOfEvent, readPull, typedCommit } from "../../github/asked-commit.js";
import { type GitHub, toFailure } from "../../github/client.js";
import { canWrite } from "../../github/permission.js";
import { cancelRequestedRuns, startRequestedRun } from "../../github/requested-runs.js";
import { escapeText, plainText } from "../../report/text/escape.js";
import type { ActionContext } from "../context.js";
import type { Published } from "../publish.js";
import { Answer } from "./answer.js";
import { type Asked, type AskedHow, readAsked } from "./asked.js";
import { checkArguments } from "./check-arguments.js";
import { type BenchCommand, helpLines, parseCommand } from "./command.js";
import { commandWords } from "./first-line.js";
import { type BenchRequest, makeRequest, titleOf } from "./request.js";

type AskedCommand = Extract<Asked, { readonly kind: "asked" }>;
type Measure = Extract<BenchCommand, { readonly kind: "measure" }>;

/** What a label asks for. */
const PLAIN: BenchCommand = { kind: "measure", commit: undefined, arguments: [] };

export async function dispatchAction(action: ActionContext): Promise<Published> {
  const { job, github, inputs, context, log } = action;
  if (!job) throw new InputError("command: dispatch works inside GitHub Actions only");
  if (!github) throw new InputError("command: dispatch needs the input token");
  const asked = await readAsked(context.env, inputs.dispatch.label);
  if (asked.kind === "ignored") return ended(action, `Ignored: ${asked.reason}.`);
  const answer = new Answer(github, job, asked, log);
  try {
    return await obey(action, github, asked, answer);
  } catch (error) {
    if (error instanceof InputError) {
      await answer.refused(error.message);
      return ended(action, `Refused: ${error.message}.`);
    }
    const { message } = toFailure(error);
    await answer.refused(message);
    return { ...ended(action, `Failed: ${message}.`), failure: message };
  }
}

async function obey(action: ActionContext, github: GitHub, asked: AskedCommand, answer: Answer): Promise<Published> {
  await checkPermission(action, github, asked);
  const command = asked.how.kind === "label" ? PLAIN : parseCommand(commandWords(asked.how.body) ?? []);
  if (command.kind === "help") {
    const shown = await answer.help(helpLines());
    return ended(
      action,
      shown ? "Answered with the commands." : "The commands could not be shown: the log has the reason.",
    );
  }
  if (command.kind === "cancel") return await cancel(action, github, asked, answer);
  const request = await requestOf(action, github, asked, command);
  await start(action, github, asked, request);
  await answer.accepted();
  const at = `${request.sha} of pull request ${request.pullRequest}`;
  return ended(action, `Started ${action.inputs.dispatch.workflow} for ${at}.`, request);
}

async function checkPermission({ inputs }: ActionContext, github: GitHub, { by }: AskedCommand): Promise<void> {
  if (inputs.dispatch.allowed.includes(by.login.toLowerCase()) || (await canWrite(github, by))) return;
  throw new InputError("only people who can write to this repository ask for measurements");
}

async function cancel(
  action: ActionContext,
  github: GitHub,
  { pullRequest }: AskedCommand,
  answer: Answer,
): Promise<Published> {
  const { inputs } = action;
  const title = titleOf({ pullRequest, key: inputs.comment.key });
  const count = await cancelRequestedRuns(github, inputs.dispatch.workflow, title);
  if (count === 0) throw new InputError("nothing that was asked for in this pull request runs or waits");
  await answer.done();
  return ended(action, `Cancelled ${count}.`);
}

/** From here on the commit is fixed. */
async function requestOf(
  { inputs, context }: ActionContext,
  github: GitHub,
  { pullRequest, by, how }: AskedCommand,
  command: Measure,
): Promise<BenchRequest> {
  await checkArguments(command.arguments, inputs, context);
  const pull = await readPull(github, pullRequest);
  if (!pull.open) throw new InputError("the pull request is closed");
  if (pull.locked) throw new InputError("the conversation is locked");
  if (pull.fork && command.commit === undefined)
    throw new InputError("the pull request comes from a fork: give the commit that you have read, /bench COMMIT");
  return makeRequest({
    pullRequest,
    sha: await pinnedCommit(github, pull, how, command),
    base: pull.baseSha,
    fork: pull.fork,
    arguments: [...command.arguments],
    key: inputs.comment.key,
    comment: how.kind === "comment" ? how.id : null,
    by: by.login,
    replace: inputs.dispatch.replace,
  });
}

async function pinnedCommit(github: GitHub, pull: AskedPull, how: AskedHow, { commit }: Measure): Promise<string> {
  if (commit !== undefined) return await typedCommit(github, pull, commit);
  return how.kind === "label" ? headOfEvent(pull, how.headSha) : await headAt(github, pull, how.at);
}

async function start(
  { inputs }: ActionContext,
  github: GitHub,
  { defaultBranch }: AskedCommand,
  request: BenchRequest,
): Promise<void> {
  const workflow = { file: inputs.dispatch.workflow, branch: defaultBranch };
  await startRequestedRun(github, workflow, JSON.stringify(request));
}

function ended({ log }: Pick<ActionContext, "log">, line: string, request?: BenchRequest): Published {
  const text = plainText(line).replace(/([.?!])\.$/, "$1");
  log(text);
  return {
    outputs: { request: request === undefined ? "" : JSON.stringify(request) },
    annotations: [],
    summary: `${escapeText(text)}\n`,
  };
}
