/** What the action's commands share: inputs, the job, GitHub and the log. */
import { randomUUID } from "node:crypto";
import type { ProcessContext } from "../commands/process-context.js";
import { toolVersion } from "../commands/version.js";
import { type GitHub, openGitHub } from "../github/client.js";
import { type Job, readJob } from "../github/job.js";
import { logSafe, plainText } from "../report/text/escape.js";
import type { ActionInputs } from "./inputs.js";

export interface ActionContext {
  readonly inputs: ActionInputs;
  readonly context: ProcessContext;
  /** Undefined outside GitHub Actions. */
  readonly job: Job | undefined;
  /** Undefined without a job or a token. */
  readonly github: GitHub | undefined;
  /** Prints one line, which is never a workflow command. */
  log(line: string): void;
}

/** @throws InputError for an event file that is wrong */
export async function openActionContext(inputs: ActionInputs, context: ProcessContext): Promise<ActionContext> {
  const log = (line: string) => void context.stdout.write(`${plainLine(line)}\n`);
  const job = await readJob(context.env);
  const github =
    job && inputs.token !== ""
      ? openGitHub(job, inputs.token, log, { version: await toolVersion(context.root) })
      : undefined;
  return { inputs, context, job, github, log };
}

/** Changes a line that a runner would read as a workflow command: one that begins with two colons, even after blanks. */
export function plainLine(line: string): string {
  return logSafe(plainText(line)).replace(/^\s*::/, ": :");
}

/** While `work` runs, no printed line is a workflow command: messages may quote what servers and installers print. */
export async function withoutCommands<T>({ stdout }: ProcessContext, work: () => Promise<T>): Promise<T> {
  const token = randomUUID();
  stdout.write(`::stop-commands::${token}\n`);
  try {
    return await work();
  } finally {
    stdout.write(`::${token}::\n`);
  }
}
