/** One comment per pull request and key, updated in place by every run. */
import { setTimeout as sleep } from "node:timers/promises";
import { ClaimedRuns } from "./claimed-runs.js";
import { type GitHub, type GitHubFailure, toFailure } from "./client.js";
import {
  type CommentMarker,
  checkCommentKey,
  compareMarkers,
  compareRuns,
  formatMarker,
  type Phase,
  type RunAttempt,
} from "./comment-marker.js";
import { type OwnComment, OwnComments, oldestFirst } from "./own-comments.js";

export interface StickyTarget {
  readonly pullRequest: number;
  readonly key: string;
  readonly run: RunAttempt;
  /** The login of the token's account. Default: GitHub's answer; for an installation's token github-actions[bot]. */
  readonly author?: string;
}

export type Written =
  | { readonly state: "written"; readonly url: string; readonly created: boolean }
  /** The comment already shows a later run, or this run's final text. */
  | { readonly state: "newer"; readonly url: string }
  /** The comment shows an earlier text of this run, which had to stay. */
  | { readonly state: "kept"; readonly url: string }
  | { readonly state: "refused"; readonly failure: GitHubFailure };

export interface StickyTiming {
  /** Before another try, multiplied by the number of tries before it. */
  readonly retryWaitMs: number;
  /** Wait before checking whether another run, which had read the comment before this write, wrote after it. */
  readonly settleMs: number;
  /** Time limit of an update, from the read before it and with waits for rate limits. After it that read is out of date. */
  readonly updateLimitMs: number;
}

/** plugin-throttling sends a write within a second of the read before it, and GitHub answers within another. */
const TIMING: StickyTiming = { retryWaitMs: 1000, settleMs: 3000, updateLimitMs: 10_000 };
/** Writes of one text; after the last one the comment is only read. */
const TRIES = 3;

interface Again {
  readonly state: "again";
  readonly cause: string;
  /** The failure to report after the last try. */
  readonly failure: GitHubFailure;
}
type Step = Written | Again;

const VANISHED: Again = {
  state: "again",
  cause: "it was deleted meanwhile",
  failure: {
    kind: "not-found",
    status: 404,
    message: "404: the comment was deleted while it was written: run the job again",
  },
};
const OVERWRITTEN: Again = {
  state: "again",
  cause: "an older run replaced it meanwhile",
  failure: {
    kind: "server",
    message: "an older run of this pull request keeps replacing the comment: run the job again",
  },
};

interface Draft {
  readonly marker: CommentMarker;
  readonly body: string;
  /** Whether a final text of the same run stays. */
  readonly stays: (earlier: string) => boolean;
  /** Undefined: nothing was sent. `id` is undefined when the answer to the POST was lost. */
  posted: { readonly id: number | undefined } | undefined;
}

/**
 * Requests, without retries, with at most 100 comments on the pull request:
 * first write 4 when it makes the comment (user, list, POST, list), 3 when it updates one (user, list, PATCH), with
 * `author` one fewer; every later write 2 (GET, PATCH). A final text that replaces another run's, or follows this
 * run's first one within `settleMs`, is read again afterwards: 1. Each further 100 comments: 1 per list. A comment that names a later run: 2.
 *
 * GitHub has no conditional writes. Runs that write at the same time follow three rules: the oldest comment is kept; a
 * later run's text stays; a run that replaced another run's text reads the comment again. An older run still wins where
 * its write arrives more than `settleMs` after its read.
 */
export class StickyComment {
  readonly #comments: OwnComments;
  readonly #claims: ClaimedRuns;
  readonly #target: StickyTarget;
  readonly #log: (line: string) => void;
  readonly #timing: StickyTiming;
  /** The comment that this run last wrote or found, and the time since which it has this run's text. */
  #current: { readonly id: number; readonly sinceMs?: number } | undefined;
  #turn: Promise<unknown> = Promise.resolve();

  /** @throws InputError for a key that may not be one. */
  constructor(github: GitHub, target: StickyTarget, log: (line: string) => void, timing: Partial<StickyTiming> = {}) {
    checkCommentKey(target.key);
    this.#timing = { ...TIMING, ...timing };
    this.#comments = new OwnComments(github, target, this.#timing.updateLimitMs, log);
    this.#claims = new ClaimedRuns(github, target.run, log);
    this.#target = target;
    this.#log = log;
  }

  /**
   * `text` goes below the marker. Writes run one after another, in the order of the calls. GitHub's errors are not thrown.
   * @param stays whether the body of a comment that has a final text of the same run, of any attempt, is left as it is
   */
  write(text: string, phase: Phase, stays: (body: string) => boolean = () => false): Promise<Written> {
    const marker = { key: this.#target.key, run: this.#target.run, phase };
    const draft: Draft = { marker, body: `${formatMarker(marker)}\n${text}`, stays, posted: undefined };
    const turn = this.#turn.then(() => this.#write(draft));
    this.#turn = turn.catch(() => undefined);
    return turn;
  }

  async #write(draft: Draft): Promise<Written> {
    try {
      let step = await this.#step(draft);
      for (let tries = 1; step.state === "again" && tries < TRIES; tries++) {
        this.#log(`Pull-request comment: ${step.cause}; looking again`);
        await sleep(this.#timing.retryWaitMs * tries);
        step = await this.#step(draft);
      }
      return step.state === "again" ? await this.#lastLook(draft, step) : step;
    } catch (error) {
      return { state: "refused", failure: toFailure(error) };
    }
  }

  async #step(draft: Draft): Promise<Step> {
    const found = await this.#look();
    return isSome(found) ? this.#settle(found, draft) : this.#create(draft);
  }

  /** Our comments, oldest first; only the one that this run wrote, while it exists. */
  async #look(): Promise<readonly OwnComment[]> {
    const known = this.#current && (await this.#get(this.#current.id));
    if (known) return [known];
    this.#current = undefined;
    return this.#list();
  }

  async #list(): Promise<readonly OwnComment[]> {
    return this.#claims.checked(await this.#comments.list());
  }

  async #get(id: number): Promise<OwnComment | undefined> {
    const found = await this.#comments.get(id);
    return found && (await this.#claims.checked([found]))[0];
  }

  async #create(draft: Draft): Promise<Step> {
    draft.posted = { id: undefined };
    let own: OwnComment;
    try {
      own = await this.#comments.create(draft.body, draft.marker);
    } catch (error) {
      return againAfter(error);
    }
    draft.posted = { id: own.id };
    return this.#settle(await this.#listWith(own), draft);
  }

  /** Checks whether another run made a comment at the same time. */
  async #listWith(own: OwnComment): Promise<readonly [OwnComment, ...OwnComment[]]> {
    try {
      const listed = await this.#list();
      // GitHub's list can be out of date.
      const all = listed.some(({ id }) => id === own.id) ? listed : oldestFirst([...listed, own]);
      return isSome(all) ? all : [own];
    } catch (error) {
      this.#log(`Pull-request comment: not known whether there is a second one: ${toFailure(error).message}`);
      return [own];
    }
  }

  /** Afterwards the oldest comment has the latest run's text, and the others are removed. */
  async #settle([oldest, ...others]: readonly [OwnComment, ...OwnComment[]], draft: Draft): Promise<Step> {
    if (oldest.id !== this.#current?.id) this.#current = { id: oldest.id };
    const left = whyLeft([oldest, ...others], draft);
    const step: Step = left === undefined ? await this.#put(oldest, draft) : { state: left, url: oldest.url };
    if (step.state === "again") {
      // Then the next read lists the others too.
      if (others.length > 0) this.#current = undefined;
      return step;
    }
    await this.#removeStale(others, draft);
    return step.state === "written" && this.#mayBeLost(oldest, draft) ? this.#verify(step, oldest.id, draft) : step;
  }

  async #put(oldest: OwnComment, draft: Draft): Promise<Step> {
    const arrived = hasText(oldest, draft);
    if (!arrived) {
      try {
        if (!(await this.#comments.update(oldest.id, draft.body))) return this.#vanished();
      } catch (error) {
        return againAfter(error);
      }
    }
    this.#current = { id: oldest.id, sinceMs: this.#current?.sinceMs ?? performance.now() };
    return { state: "written", url: oldest.url, created: arrived && draft.posted !== undefined };
  }

  /** Runs that made a comment at the same time, or that ended before they removed theirs, have left these. */
  async #removeStale(others: readonly OwnComment[], draft: Draft): Promise<void> {
    for (const { id, url, marker } of others) {
      if (compareMarkers(marker, draft.marker) > 0) continue;
      try {
        await this.#comments.remove(id);
      } catch (error) {
        this.#log(`Pull-request comment: a second one stays at ${url}: ${toFailure(error).message}`);
      }
    }
  }

  /** An older run may have read the comment before this run's first text was there, and write after it. */
  #mayBeLost(replaced: OwnComment, { marker, posted }: Draft): boolean {
    if (marker.phase !== "done" || replaced.id === posted?.id) return false;
    const thereForMs = performance.now() - (this.#current?.sinceMs ?? 0);
    return !sameRun(replaced.marker, marker) || thereForMs < this.#timing.settleMs;
  }

  async #verify(written: Written, id: number, draft: Draft): Promise<Step> {
    await sleep(this.#timing.settleMs);
    let seen: OwnComment | undefined;
    try {
      seen = await this.#get(id);
    } catch (error) {
      this.#log(`Pull-request comment: not known whether it still has this run's text: ${toFailure(error).message}`);
      return written;
    }
    if (!seen) return this.#vanished();
    if (isLater([seen], draft)) return { state: "newer", url: seen.url };
    return compareMarkers(seen.marker, draft.marker) < 0 ? OVERWRITTEN : written;
  }

  async #lastLook(draft: Draft, failed: Again): Promise<Written> {
    const found = await this.#look();
    const settled = isSome(found) && (hasText(found[0], draft) || isLater(found, draft));
    const step: Step = settled ? await this.#settle(found, draft) : failed;
    return step.state === "again" ? { state: "refused", failure: step.failure } : step;
  }

  #vanished(): Step {
    this.#current = undefined;
    return VANISHED;
  }
}

function isSome<T>(items: readonly T[]): items is readonly [T, ...T[]] {
  return items.length > 0;
}

function sameRun(a: CommentMarker, b: CommentMarker): boolean {
  return compareRuns(a.run, b.run) === 0;
}

function isLater(found: readonly OwnComment[], { marker }: Draft): boolean {
  return found.some((comment) => compareMarkers(comment.marker, marker) > 0);
}

/** Why the comment is left as it is; undefined: it is replaced. */
function whyLeft(found: readonly [OwnComment, ...OwnComment[]], draft: Draft): "newer" | "kept" | undefined {
  if (isLater(found, draft)) return "newer";
  return mustStay(found[0], draft) ? "kept" : undefined;
}

function mustStay({ body, marker }: OwnComment, draft: Draft): boolean {
  return marker.phase === "done" && marker.run.id === draft.marker.run.id && draft.stays(body);
}

/** Whether the text is already there, or another job of this run has replaced it in the comment just made. */
function hasText({ id, body, marker }: OwnComment, draft: Draft): boolean {
  return body === draft.body || (id === draft.posted?.id && compareMarkers(marker, draft.marker) === 0);
}

/** A write without an answer may have arrived. @throws the error where GitHub answered */
function againAfter(error: unknown): Step {
  const failure = toFailure(error);
  if (failure.kind !== "server" && failure.kind !== "unreachable") throw error;
  const cause = failure.kind === "unreachable" ? "no answer" : `answer ${failure.status ?? "of an unknown form"}`;
  return { state: "again", cause, failure };
}
