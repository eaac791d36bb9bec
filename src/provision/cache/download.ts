/** HTTP with limits: every wait ends, every body has a largest size, and every file has a digest that is known beforehand. */
import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { causeOf, codeOf, messageOf } from "../../errors.js";
import { mebibytes } from "../folder-size.js";
import { discard } from "./cache.js";

export interface DownloadLimits {
  /** Longest silence: until the headers, and between two pieces of the body. */
  readonly silenceMs: number;
  /** Longest whole exchange. */
  readonly totalMs: number;
  readonly maxBytes: number;
  /** Pauses before the second, third ... attempt, where another attempt can help. */
  readonly retryAfterMs: readonly number[];
}

export interface FileDownload extends DownloadLimits {
  /** SHA-256 in hexadecimal, from another source than the file's own server. */
  readonly sha256: string;
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
  /** The host's variables: a proxy that Node does not use explains a failure. */
  readonly env: NodeJS.ProcessEnv;
}

const USER_AGENT = "server-bench";
/** Answers of a server that is overloaded or being restarted. */
const PASSING_STATUS = [408, 425, 429, 500, 502, 503, 504];
/** A connection that was made and broke off. */
const PASSING_CODES = ["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"];

/**
 * Downloads into `path`; a file that is not the expected one, or not complete, is removed. A temporary failure is retried.
 * @throws Error whose message says calmly what was wrong: `no address for github.com`
 */
export async function downloadFile(url: string, path: string, download: FileDownload): Promise<void> {
  for (const pauseMs of [...download.retryAfterMs, undefined]) {
    const failure = await attempt(url, path, download);
    if (failure === undefined) return;
    if (pauseMs === undefined || !failure.passing) throw new Error(failure.reason);
    await delay(pauseMs, undefined, { signal: download.signal }).catch(() => download.signal.throwIfAborted());
  }
}

interface Failure {
  readonly reason: string;
  readonly passing: boolean;
}

/** @returns why it failed; undefined: the file is there */
async function attempt(url: string, path: string, download: FileDownload): Promise<Failure | undefined> {
  const hash = createHash("sha256");
  const file = await open(path, "wx", 0o600);
  let failure: Failure | undefined = { reason: "the download broke off", passing: false };
  try {
    let bytes = 0;
    failure = await receive(url, download, async (chunk) => {
      hash.update(chunk);
      bytes += chunk.length;
      await file.writeFile(chunk);
      download.onBytes(bytes);
    });
    const found = hash.digest("hex");
    if (failure === undefined && found !== download.sha256)
      failure = {
        reason: `${url} was refused and removed: its SHA-256 is ${found}, expected ${download.sha256}`,
        passing: false,
      };
    return failure;
  } finally {
    await file.close();
    if (failure !== undefined) await discard(path);
  }
}

async function receive(
  url: string,
  { silenceMs, totalMs, maxBytes, signal, env }: FileDownload,
  onChunk: (chunk: Uint8Array) => Promise<void>,
): Promise<Failure | undefined> {
  const { host } = new URL(url);
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silenceMs);
  const total = AbortSignal.timeout(totalMs);
  try {
    const response = await fetch(url, {
      headers: { "user-agent": USER_AGENT },
      signal: AbortSignal.any([signal, silence.signal, total]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      const { status } = response;
      return { reason: `${url} was answered with HTTP ${status}`, passing: PASSING_STATUS.includes(status) };
    }
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      timer.refresh();
      bytes += chunk.length;
      if (bytes > maxBytes) return { reason: `${url} is larger than ${mebibytes(maxBytes)}`, passing: false };
      await onChunk(chunk);
    }
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (silence.signal.aborted) return { reason: `${host} was silent for ${silenceMs / 1000} s`, passing: false };
    if (total.aborted) return { reason: `${host} needed more than ${totalMs / 1000} s`, passing: false };
    return networkFailure(host, error, env);
  } finally {
    clearTimeout(timer);
  }
}

function networkFailure(host: string, error: unknown, env: NodeJS.ProcessEnv): Failure {
  const cause = causeOf(error);
  const code = codeOf(cause) ?? "";
  const reason = REASONS[code]?.(host) ?? `${host}: ${messageOf(cause) || code}`;
  return { reason: reason + unusedProxy(env), passing: PASSING_CODES.includes(code) };
}

const noAddress = (host: string): string => `no address for ${host}`;
const noAnswer = (host: string): string => `${host} does not answer`;
const REASONS: Readonly<Record<string, (host: string) => string>> = {
  ENOTFOUND: noAddress,
  EAI_AGAIN: noAddress,
  ECONNREFUSED: (host) => `${host} refuses the connection`,
  ECONNRESET: (host) => `${host} broke off the connection`,
  UND_ERR_SOCKET: (host) => `${host} broke off the connection`,
  ETIMEDOUT: noAnswer,
  EHOSTUNREACH: noAnswer,
  ENETUNREACH: () => "there is no network",
  UND_ERR_CONNECT_TIMEOUT: noAnswer,
};

function unusedProxy(env: NodeJS.ProcessEnv): string {
  const proxy = env.HTTPS_PROXY || env.https_proxy;
  if (!proxy || env.NODE_USE_ENV_PROXY) return "";
  return "; HTTPS_PROXY is set, and Node uses it only with NODE_USE_ENV_PROXY=1";
}
