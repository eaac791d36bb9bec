/** Our comments on a pull request: written by our account, with our marker and key in the first line. */
import * as v from "valibot";
import { readAnswer } from "./answer.js";
import { type GitHub, toFailure } from "./client.js";
import { type CommentMarker, parseMarker } from "./comment-marker.js";

/** The account of every workflow's GITHUB_TOKEN. This token may not ask for its own login. */
const ACTIONS_LOGIN = "github-actions[bot]";
const PER_PAGE = 100;

export interface OwnComment {
  readonly id: number;
  readonly url: string;
  readonly body: string;
  readonly marker: CommentMarker;
}

const userSchema = v.object({ login: v.string() });
const commentSchema = v.object({
  id: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  html_url: v.string(),
  body: v.nullish(v.string()),
  user: v.nullish(userSchema),
});
type Comment = v.InferOutput<typeof commentSchema>;

interface CommentsOf {
  readonly pullRequest: number;
  readonly key: string;
  readonly author?: string;
}

/** Every method throws Octokit's errors, unless its comment says otherwise. */
export class OwnComments {
  readonly #github: GitHub;
  readonly #pullRequest: number;
  readonly #key: string;
  readonly #updateLimitMs: number;
  readonly #log: (line: string) => void;
  #author: string | undefined;

  constructor(github: GitHub, of: CommentsOf, updateLimitMs: number, log: (line: string) => void) {
    this.#github = github;
    this.#pullRequest = of.pullRequest;
    this.#key = of.key;
    this.#author = of.author;
    this.#updateLimitMs = updateLimitMs;
    this.#log = log;
  }

  /** All our comments, oldest first. */
  async list(): Promise<readonly OwnComment[]> {
    const author = await this.#authorLogin();
    const { octokit } = this.#github;
    const ours: OwnComment[] = [];
    const pages = octokit.paginate.iterator(octokit.rest.issues.listComments, {
      ...this.#repository,
      issue_number: this.#pullRequest,
      per_page: PER_PAGE,
    });
    for await (const { data } of pages) {
      for (const comment of readAnswer(v.array(commentSchema), data, "the list of comments")) {
        const own = this.#own(comment, author);
        if (own) ours.push(own);
      }
    }
    return oldestFirst(ours);
  }

  /** Undefined when it is gone, or no longer ours. */
  async get(id: number): Promise<OwnComment | undefined> {
    const author = await this.#authorLogin();
    const { octokit } = this.#github;
    const data = await unlessGone(async () => {
      const answer = await octokit.rest.issues.getComment({ ...this.#repository, comment_id: id });
      return answer.data;
    });
    return data && this.#own(readAnswer(commentSchema, data, "the comment"), author);
  }

  /** Sent once: after a failed POST only the list shows whether the comment exists. */
  async create(body: string, marker: CommentMarker): Promise<OwnComment> {
    const { octokit } = this.#github;
    const { data } = await octokit.rest.issues.createComment({
      ...this.#repository,
      issue_number: this.#pullRequest,
      body,
    });
    const comment = readAnswer(commentSchema, data, "the new comment");
    this.#learnAuthor(comment);
    return { id: comment.id, url: comment.html_url, body, marker };
  }

  /**
   * False when the comment is gone. Sent once and at once, without waiting for a rate limit: before another try the caller
   * checks whether another run has written.
   */
  async update(id: number, body: string): Promise<boolean> {
    const { octokit } = this.#github;
    const request = { retries: 0, signal: AbortSignal.timeout(this.#updateLimitMs) };
    const done = await unlessGone(async () => {
      await octokit.rest.issues.updateComment({ ...this.#repository, comment_id: id, body, request });
      return true;
    });
    return done ?? false;
  }

  /** Does nothing where the comment is gone already. */
  async remove(id: number): Promise<void> {
    const { octokit } = this.#github;
    await unlessGone(() => octokit.rest.issues.deleteComment({ ...this.#repository, comment_id: id }));
  }

  get #repository(): { readonly owner: string; readonly repo: string } {
    return { owner: this.#github.owner, repo: this.#github.repo };
  }

  #own({ id, html_url: url, body, user }: Comment, author: string): OwnComment | undefined {
    if (!user || !body || !sameLogin(user.login, author)) return undefined;
    const marker = parseMarker(body);
    return marker?.key === this.#key ? { id, url, body, marker } : undefined;
  }

  async #authorLogin(): Promise<string> {
    this.#author ??= await this.#askLogin();
    return this.#author;
  }

  async #askLogin(): Promise<string> {
    try {
      const { data } = await this.#github.octokit.rest.users.getAuthenticated();
      return readAnswer(userSchema, data, "the token's user").login;
    } catch (error) {
      if (toFailure(error).kind === "forbidden") return ACTIONS_LOGIN;
      throw error;
    }
  }

  /** The answer to a POST names the author: an App's token may not ask for its login, and the input may be wrong. */
  #learnAuthor({ user }: Comment): void {
    if (!user || (this.#author !== undefined && sameLogin(user.login, this.#author))) return;
    this.#log(
      `The token writes as ${user.login}, not as ${this.#author}. Give the input comment-author: ${user.login}. Without it, every run makes a second comment and removes it.`,
    );
    this.#author = user.login;
  }
}

export function oldestFirst(comments: readonly OwnComment[]): readonly OwnComment[] {
  return comments.toSorted((a, b) => a.id - b.id);
}

/** GitHub ignores case in logins. */
function sameLogin(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

async function unlessGone<T>(request: () => Promise<T>): Promise<T | undefined> {
  try {
    return await request();
  } catch (error) {
    const { kind } = toFailure(error);
    if (kind === "not-found" || kind === "gone") return undefined;
    throw error;
  }
}
