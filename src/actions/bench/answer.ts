/** What the person who asked sees: a reaction, and one line if something was refused. */
import type { GitHub } from "../../github/client.js";
import type { Job } from "../../github/job.js";
import { type AnsweredTo, react, reply } from "../../github/reactions.js";
import { codeBlock, escapeText } from "../../report/text/escape.js";
import { link } from "../../report/text/link.js";
import type { Asked } from "./asked.js";

/** A refusal may list many names; the first ones are enough. */
const REASON_LIMIT = 300;

export class Answer {
  readonly #github: GitHub;
  readonly #to: AnsweredTo;
  readonly #what: string;
  readonly #log: (line: string) => void;

  constructor(
    github: GitHub,
    job: Pick<Job, "serverUrl" | "owner" | "repo">,
    { pullRequest, how }: Extract<Asked, { readonly kind: "asked" }>,
    log: (line: string) => void,
  ) {
    this.#github = github;
    this.#to = { pullRequest, comment: how.kind === "comment" ? how.id : null };
    this.#what = how.kind === "comment" ? link("This command", commentUrl(job, pullRequest, how.id)) : "The label";
    this.#log = log;
  }

  async accepted(): Promise<void> {
    await react(this.#github, this.#to, "eyes", this.#log);
  }

  async done(): Promise<void> {
    await react(this.#github, this.#to, "rocket", this.#log);
  }

  async refused(reason: string): Promise<void> {
    await react(this.#github, this.#to, "confused", this.#log);
    await this.#reply(`${this.#what} was refused: ${escapeText(reason, REASON_LIMIT)}`);
  }

  /** @returns whether the reply was written */
  async help(lines: readonly string[]): Promise<boolean> {
    const written = await this.#reply(codeBlock(lines, "text"));
    await react(this.#github, this.#to, written ? "rocket" : "confused", this.#log);
    return written;
  }

  async #reply(text: string): Promise<boolean> {
    return await reply(this.#github, this.#to, text, this.#log);
  }
}

export function commentUrl(
  { serverUrl, owner, repo }: Pick<Job, "serverUrl" | "owner" | "repo">,
  pullRequest: number,
  comment: number,
): string {
  return `${serverUrl}/${owner}/${repo}/pull/${pullRequest}#issuecomment-${comment}`;
}
