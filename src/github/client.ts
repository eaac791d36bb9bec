/**
 * GitHub's REST API within limits: every request has a time limit and is repeated a few times where that is safe. All
 * requests that are sent are counted.
 *
 * plugin-retry repeats after an answer of 5xx or a lost connection, plugin-throttling waits out
 * rate limits (403, 429). A POST is repeated after a rate limit only: one that failed otherwise may have been applied.
 */
import { retry } from "@octokit/plugin-retry";
import { type ThrottlingOptions, throttling } from "@octokit/plugin-throttling";
import { Octokit } from "@octokit/rest";
import { briefly, UnreadableAnswer } from "./failure.js";

export { type GitHubFailure, toFailure } from "./failure.js";

export interface GitHub {
  readonly owner: string;
  readonly repo: string;
  readonly octokit: Octokit;
  /** Requests sent so far, repeated ones included. */
  readonly calls: number;
}

export interface ClientOptions {
  /** For one request: from its start until the whole answer was read. */
  readonly timeoutMs?: number;
  /** For a request that sends a file. */
  readonly uploadTimeoutMs?: number;
  /** How many times a request is repeated, at most. */
  readonly retries?: number;
  /** Length of a second in waits (tests shorten it): 1, 4 and 9 seconds between attempts, or what `retry-after` asks for. */
  readonly retryBaseMs?: number;
  /** Where a rate limit asks for a longer wait, the request fails. */
  readonly longestWaitSeconds?: number;
  /** Keep a second between writes, and three between those that notify people, as GitHub asks for. */
  readonly paced?: boolean;
  /** The tool's, for the user agent. */
  readonly version?: string;
}

const DEFAULTS: Required<ClientOptions> = {
  timeoutMs: 30_000,
  // 36 MiB (the largest results) over 1 Mbit/s.
  uploadTimeoutMs: 300_000,
  retries: 3,
  retryBaseMs: 1000,
  longestWaitSeconds: 60,
  paced: true,
  version: "0",
};

/** plugin-retry does not repeat these: answers that would be the same again, and rate limits. */
const FINAL_STATUSES = [400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, 429, 451];

type Plugged = Pick<Octokit, "hook" | "log">;
type Group = NonNullable<ThrottlingOptions["write"]>;

/** Hooks of an earlier plugin run inside those of a later one. */
const Client = Octokit.plugin(
  refuseText,
  logAttempts,
  retry,
  nameRateLimits,
  throttling,
  keepRequestsApart,
  nameDefects,
);

/** @param log gets a line for each attempt that failed without a final answer, and for each wait */
export function openGitHub(
  job: { readonly owner: string; readonly repo: string; readonly apiUrl: string },
  token: string,
  log: (line: string) => void,
  options: ClientOptions = {},
): GitHub {
  const settings = { ...DEFAULTS, ...options };
  const logger = { debug() {}, info() {}, warn: log, error() {} };
  let calls = 0;
  const octokit = new Client({
    auth: token,
    baseUrl: job.apiUrl,
    userAgent: `server-bench/${settings.version}`,
    log: logger,
    request: {
      log: logger,
      fetch: (url: string, init: RequestInit) => {
        calls += 1;
        const isUpload = init.body instanceof Uint8Array;
        return fetchWhole(url, init, isUpload ? settings.uploadTimeoutMs : settings.timeoutMs);
      },
    },
    retry: { retries: settings.retries, retryAfterBaseValue: settings.retryBaseMs, doNotRetry: FINAL_STATUSES },
    throttle: {
      ...patience(settings, log),
      retryAfterBaseValue: settings.retryBaseMs,
      ...(settings.paced ? {} : { write: UNPACED, notifications: UNPACED }),
    },
  });
  return {
    owner: job.owner,
    repo: job.repo,
    octokit,
    get calls() {
      return calls;
    },
  };
}

/** Reads the whole answer within the limit: octokit would take an incomplete body for an empty one. */
async function fetchWhole(url: string, init: RequestInit, timeoutMs: number): Promise<Response> {
  const limit = AbortSignal.timeout(timeoutMs);
  const signal = init.signal ? AbortSignal.any([init.signal, limit]) : limit;
  const response = await fetch(url, { ...init, signal });
  const body = await response.arrayBuffer();
  const whole = new Response(body.byteLength > 0 ? body : null, response);
  // A Response made by hand has no address, and octokit's pagination asks for it.
  return Object.defineProperty(whole, "url", { value: response.url });
}

/** Decides whether to wait for the end of a rate limit. */
function patience(settings: Required<ClientOptions>, log: (line: string) => void): ThrottlingOptions {
  const wait = (seconds: number, request: { method: string; url: string }, _octokit: unknown, repeated: number) => {
    if (seconds > settings.longestWaitSeconds || repeated >= settings.retries) return false;
    log(`GitHub limits the rate of ${request.method} ${request.url}: waiting ${seconds} s`);
    return true;
  };
  return { onRateLimit: wait, onSecondaryRateLimit: wait };
}

/**
 * A proxy's page or incomplete JSON arrives as a text, and octokit's pagination fails on it. A redirect that the caller wants
 * to see may have any text.
 */
function refuseText({ hook }: Plugged): void {
  hook.after("request", ({ data }, { method, url, request }) => {
    if (request.redirect !== "manual" && data && typeof data !== "object")
      throw new UnreadableAnswer(`${method} ${url} answered with no JSON`);
  });
}

function logAttempts({ hook, log }: Plugged): void {
  hook.error("request", (error, { method, url }) => {
    if (!("status" in error) || error.status >= 500) log.warn(`GitHub: ${method} ${url}: ${briefly(error)}`);
    throw error;
  });
}

/**
 * octokit and its plugins throw a TypeError for an answer that they do not expect: a number beyond 2^53, a null among errors.
 * A failed connection never comes as one: octokit wraps it.
 */
function nameDefects({ hook }: Plugged): void {
  hook.error("request", (error, { method, url }) => {
    if (error instanceof TypeError) throw new UnreadableAnswer(`${method} ${url} answered in an unexpected format`);
    throw error;
  });
}

/** plugin-throttling recognises a secondary limit by its text. The 429 of GitHub's load balancer has another text. */
function nameRateLimits({ hook }: Plugged): void {
  hook.error("request", (error) => {
    if ("status" in error && error.status === 429 && error.response?.headers["x-ratelimit-remaining"] !== "0")
      error.message += " (secondary rate limit)";
    throw error;
  });
}

/** octokit shares one `request` object between all calls, and the plugins write their counts into it. */
function keepRequestsApart({ hook }: Plugged): void {
  hook.before("request", (options) => {
    options.request = { ...options.request, ...(options.method === "POST" ? { retries: 0 } : {}) };
  });
}

/** A group of limiters as plugin-throttling uses one, without limits. */
const UNPACED = {
  key: () => ({ schedule: (_job: unknown, task: () => Promise<void>) => task() }),
} as unknown as Group;
