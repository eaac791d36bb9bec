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
import { briefly } from "./failure.js";

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
  retries: 3,
  retryBaseMs: 1000,
  longestWaitSeconds: 60,
  paced: true,
  version: "0",
};

/** plugin-retry does not repeat these: answers that stay the same, and rate limits. */
const FINAL_STATUSES = [400, 401, 403, 404, 405, 406, 409, 410, 412, 413, 415, 422, 429, 451];

type Plugged = Pick<Octokit, "hook" | "log">;
type Group = NonNullable<ThrottlingOptions["write"]>;

/** Hooks of an earlier plugin run inside those of a later one. */
const Client = Octokit.plugin(logAttempts, retry, nameRateLimits, throttling, keepRequestsApart);

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
        return fetchWhole(url, init, settings.timeoutMs);
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

/** Reads the answer to its end within the limit: octokit takes a body that breaks off for an empty one. */
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

function logAttempts({ hook, log }: Plugged): void {
  hook.error("request", (error, { method, url }) => {
    if (!("status" in error) || error.status >= 500) log.warn(`GitHub: ${method} ${url}: ${briefly(error)}`);
    throw error;
  });
}

/** plugin-throttling recognises a secondary limit by its text; the 429 of GitHub's load balancer has another text. */
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
