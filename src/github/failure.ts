/** What a failed request to GitHub means, in words for the person who reads the log. */
import { clip } from "../messages/clip.js";

export type GitHubFailure = {
  readonly kind:
    | "unauthorized"
    | "forbidden"
    | "rate-limited"
    | "locked"
    | "not-found"
    | "gone"
    | "invalid"
    | "server"
    | "unreachable";
  /** Undefined when GitHub did not answer. */
  readonly status?: number;
  /** One line: what happened, and what to do. */
  readonly message: string;
};

/** GitHub's answer, taken from octokit's RequestError. */
interface Answer {
  readonly status: number;
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  /** GitHub's own message; "" when there is none (the page of a proxy). */
  readonly words: string;
}

const MAX_WORDS = 200;

/** GitHub's answer has another form than its documentation says. The message names the field. */
export class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

/** What the error of a request, or an answer that cannot be read, means. @throws any other error, with its own stack */
export function toFailure(error: unknown): GitHubFailure {
  if (error instanceof UnreadableAnswer)
    return { kind: "server", message: `GitHub's answer cannot be read (${error.message}): run the job again` };
  const answer = answerOf(error);
  if (answer !== undefined) return { ...meaning(answer), status: answer.status };
  const silence = silenceOf(error);
  if (silence === undefined) throw error;
  return { kind: "unreachable", message: `GitHub cannot be reached (${silence}): run the job again` };
}

/** A failed request in a few words, for the log: `502`, or why there was no answer. */
export function briefly(error: unknown): string {
  const answer = answerOf(error);
  if (answer !== undefined) return [answer.status, answer.words].filter(Boolean).join(": ");
  return silenceOf(error) ?? oneLine(String(error));
}

type Meaning = Pick<GitHubFailure, "kind" | "message">;

function meaning(answer: Answer): Meaning {
  const { status } = answer;
  const said = answer.words === "" ? "" : ` (${answer.words})`;
  const what = `${answer.method} ${answer.path}`;
  if (isRateLimit(answer)) {
    return {
      kind: "rate-limited",
      message: `${status}: GitHub limits how much the token may ask${said}: ${retryAt(answer)}`,
    };
  }
  if (status === 401) {
    return { kind: "unauthorized", message: `401: GitHub does not accept the token${said}: give another one` };
  }
  if (status === 403) return refused(answer, said);
  if (status === 404) return { kind: "not-found", message: `404: not there, or not shown to this token: ${what}` };
  if (status === 410) return { kind: "gone", message: `410: GitHub no longer has it${said}: ${what}` };
  if (status >= 400 && status < 500) return { kind: "invalid", message: `${status}: GitHub refuses ${what}${said}` };
  return { kind: "server", message: `${status}: GitHub failed at ${what}${said}: run the job again` };
}

function refused(answer: Answer, said: string): Meaning {
  return LOCKED.test(answer.words)
    ? { kind: "locked", message: `403: the conversation is locked${said}: unlock it to let the job comment` }
    : {
        kind: "forbidden",
        message: `403: the token may not do this${said}: give the job "${permissionFor(answer)}"`,
      };
}

/** GitHub's "Unable to create comment because issue is locked." */
const LOCKED = /\b(?:issue|pull request|conversation)\b.*\blocked\b/i;

/** https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api: a 403 or 429 with any of these signs. */
function isRateLimit({ status, headers, words }: Answer): boolean {
  if (status === 429) return true;
  if (status !== 403) return false;
  return "retry-after" in headers || headers["x-ratelimit-remaining"] === "0" || /\bsecondary rate\b/i.test(words);
}

function retryAt({ headers }: Answer): string {
  const seconds = Number(headers["retry-after"]);
  if (seconds > 0) return `run the job again in ${seconds} s`;
  const reset = new Date(Number(headers["x-ratelimit-reset"]) * 1000);
  if (Number(headers["x-ratelimit-reset"]) > 0 && !Number.isNaN(reset.getTime())) {
    return `run the job again after ${reset.toISOString()}`;
  }
  return "run the job again in some minutes";
}

/**
 * The permission that a workflow needs for a path. For comments of a pull request `pull-requests` is enough, and a job that reads
 * them writes them next.
 */
function permissionFor({ method, path }: Answer): string {
  if (/\/(?:issues|pulls)(?:\/|$)/.test(path)) return "pull-requests: write";
  const access = method === "GET" ? "read" : "write";
  return /\/actions\//.test(path) ? `actions: ${access}` : `contents: ${access}`;
}

function answerOf(error: unknown): Answer | undefined {
  if (!isRequestError(error) || error.response === undefined) return undefined;
  const { method, url } = error.request;
  return {
    status: error.response.status,
    method,
    path: URL.canParse(url) ? new URL(url).pathname : url,
    headers: error.response.headers,
    words: wordsOf(error.response.data),
  };
}

interface RequestError extends Error {
  readonly status: number;
  readonly request: { readonly method: string; readonly url: string };
  readonly response?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, unknown>>;
    readonly data: unknown;
  };
}

/** Checks the shape: octokit's class is in a package that is not a dependency of this one. */
function isRequestError(error: unknown): error is RequestError {
  return error instanceof Error && error.name === "HttpError" && "status" in error && "request" in error;
}

/** `Validation Failed: body is too long (maximum is 65536 characters)` */
function wordsOf(data: unknown): string {
  if (typeof data !== "object" || data === null || !("message" in data)) return "";
  const errors = "errors" in data && Array.isArray(data.errors) ? data.errors.map(wordsOfError).filter(Boolean) : [];
  return oneLine([String(data.message), errors.join(", ")].filter(Boolean).join(": "));
}

function wordsOfError(error: unknown): string {
  if (typeof error === "string") return error;
  if (typeof error !== "object" || error === null) return "";
  const { message, field, code } = error as { message?: unknown; field?: unknown; code?: unknown };
  if (typeof message === "string") return message;
  return [field, code].filter((part) => typeof part === "string").join(" ");
}

/** Why there was no answer; undefined if the error does not come from a request. */
function silenceOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const root = error.cause instanceof Error ? (silenceOf(error.cause) ?? oneLine(error.cause.message)) : undefined;
  if (error.name === "TimeoutError" || error.name === "AbortError") return "no answer in time";
  if (isRequestError(error) || isNetworkError(error)) return root ?? oneLine(error.message);
  return undefined;
}

/** fetch throws a TypeError with the reason as its cause; Node's own errors carry a code. */
function isNetworkError(error: Error): boolean {
  if (error instanceof TypeError) return error.message === "fetch failed" || error.message === "terminated";
  return "code" in error && /^(?:E[A-Z]+|UND_ERR_\w+)$/.test(String(error.code));
}

/** For a message that quotes an answer, which may hold anything: one line of at most 200 characters. */
export function oneLine(text: string): string {
  return clip(text.replace(/[\p{Cc}\s]+/gu, " ").trim(), MAX_WORDS);
}
