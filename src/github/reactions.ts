/** Answers the person who asked: a reaction, and a reply. If one fails, the job continues. */
import { type GitHub, toFailure } from "./client.js";

export interface AnsweredTo {
  readonly pullRequest: number;
  /** The comment that asked; null: the pull request itself gets the reaction. */
  readonly comment: number | null;
}

export type Reaction = "eyes" | "rocket" | "confused";

type Log = (line: string) => void;

/** One request. */
export async function react(github: GitHub, to: AnsweredTo, content: Reaction, log: Log): Promise<void> {
  const { octokit, owner, repo } = github;
  await orLog(`the reaction ${content}`, log, async () => {
    if (to.comment === null)
      await octokit.rest.reactions.createForIssue({ owner, repo, issue_number: to.pullRequest, content });
    else await octokit.rest.reactions.createForIssueComment({ owner, repo, comment_id: to.comment, content });
  });
}

/** One request. @returns whether it was written */
export async function reply(github: GitHub, { pullRequest }: AnsweredTo, body: string, log: Log): Promise<boolean> {
  const { octokit, owner, repo } = github;
  return await orLog("the reply", log, async () => {
    await octokit.rest.issues.createComment({ owner, repo, issue_number: pullRequest, body });
  });
}

async function orLog(what: string, log: Log, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    log(`${what} was not written: ${toFailure(error).message}`);
    return false;
  }
}
