/** The pull request's comment during a run: first its progress, then its result. */
import type { MachineWait } from "../commands/run/request.js";
import type { GitHubFailure } from "../github/client.js";
import type { Phase } from "../github/comment-marker.js";
import { StickyComment } from "../github/sticky.js";
import { hasFigures, renderMeasuring } from "../report/comment/comment.js";
import { askedLine } from "./bench/asked-line.js";
import type { ActionContext } from "./context.js";

/** The pull request that gets the comment, and the run whose results it shows. */
export interface CommentTarget {
  readonly pullRequest: number;
  readonly run: { readonly id: number; readonly attempt: number; readonly url: string };
}

/** Shares of the rows after which the comment is updated: every update costs API calls. */
const UPDATES_AT: readonly number[] = [1 / 3, 2 / 3];
/** Updates are at least this far apart. */
const UPDATE_MIN_MS = 60_000;

export class RunComment {
  readonly #sticky: StickyComment;
  readonly #action: ActionContext;
  readonly #runUrl: string;
  readonly #startedAt = new Date();
  #rows = 0;
  #updated = performance.now();
  #due = [...UPDATES_AT];
  #refused = false;
  #refusal: string | undefined;
  #url: string | undefined;

  private constructor(sticky: StickyComment, action: ActionContext, runUrl: string) {
    this.#sticky = sticky;
    this.#action = action;
    this.#runUrl = runUrl;
  }

  /** Undefined where no comment is wanted, or no token was given. */
  static open(action: ActionContext, target: CommentTarget | undefined): RunComment | undefined {
    const { inputs, github, log } = action;
    if (!target || !inputs.comment.wanted) return undefined;
    if (!github) {
      log("no comment: the action was given no token");
      return undefined;
    }
    const { key, author } = inputs.comment;
    const { pullRequest, run } = target;
    const sticky = { pullRequest, key, run, ...(author === undefined ? {} : { author }) };
    return new RunComment(new StickyComment(github, sticky, log), action, run.url);
  }

  /** Address of the comment, once it was written. */
  get url(): string | undefined {
    return this.#url;
  }

  /** Why the last text was not written; undefined: it was, or a later run's is there. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  async begin(rows: number): Promise<void> {
    this.#rows = rows;
    await this.#measuring(0);
  }

  /** @param wait undefined: the wait is over */
  async waiting(wait: MachineWait | undefined): Promise<void> {
    await this.#measuring(0, wait);
  }

  async progress(done: number): Promise<void> {
    const [due] = this.#due;
    if (due === undefined || done / this.#rows < due || performance.now() - this.#updated < UPDATE_MIN_MS) return;
    this.#due = this.#due.filter((share) => done / this.#rows < share);
    await this.#measuring(done);
  }

  /** @returns whether the comment shows the text now */
  async finish(text: string): Promise<boolean> {
    return await this.#write(this.#withRequest(text), "done");
  }

  /** For results that have expired. A comment that shows the run's figures stays: it was written while they could be read. */
  async finishWithout(text: string): Promise<void> {
    await this.#write(this.#withRequest(text), "done", hasFigures);
  }

  #withRequest(text: string): string {
    return text + askedLine(this.#action.job, this.#action.inputs.request);
  }

  async #measuring(done: number, wait?: MachineWait): Promise<void> {
    this.#updated = performance.now();
    const state = { rows: this.#rows, done, startedAt: this.#startedAt.toISOString(), runUrl: this.#runUrl };
    await this.#write(renderMeasuring({ ...state, ...(wait && { wait }) }), "measuring");
  }

  async #write(text: string, phase: Phase, stays?: (body: string) => boolean): Promise<boolean> {
    // A token that was refused once is refused again: no further calls, no further messages.
    if (this.#refused) return false;
    const written = await this.#sticky.write(text, phase, stays);
    if (written.state !== "refused") [this.#url, this.#refusal] = [written.url, undefined];
    if (written.state === "newer") this.#action.log("the comment already shows a later run: left as it is");
    if (written.state === "kept") this.#action.log("the comment still shows this run's results: left as it is");
    if (written.state === "refused") this.#refuse(written.failure);
    return written.state === "written";
  }

  #refuse(failure: GitHubFailure): void {
    this.#refused = LASTING.includes(failure.kind);
    const event = this.#action.job?.event;
    const isOfFork = event?.kind === "pull_request" && event.pullRequest.fork;
    // No permission that the job could be given helps.
    this.#refusal = isOfFork && failure.kind === "forbidden" ? FORK : failure.message;
    this.#action.log(`no comment: ${this.#refusal}`);
  }
}

const FORK =
  "GitHub gives the job of a fork's pull request no token that may comment; a second workflow can do it (examples/fork-report.yml)";

const LASTING: readonly GitHubFailure["kind"][] = ["unauthorized", "forbidden", "locked"];
