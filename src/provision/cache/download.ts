/** HTTP with bounds: every wait has an end, every body a cap, every file a digest that was known beforehand. */

import { createHash } from "node:crypto";
import { open } from "node:fs/promises";
import { messageOf } from "../../errors.js";
import { mebibytes } from "../folder-size.js";
import { discard } from "./cache.js";

export interface DownloadLimits {
  /** Longest silence: until the headers, and between two pieces of the body. */
  readonly silenceMs: number;
  /** Longest whole exchange. */
  readonly totalMs: number;
  readonly maxBytes: number;
}

export interface FileDownload extends DownloadLimits {
  /** SHA-256 in hexadecimal, known from another source than the file's own server. */
  readonly sha256: string;
  readonly signal: AbortSignal;
  readonly onBytes: (bytes: number) => void;
}

const USER_AGENT = "server-bench";

/** A JSON answer, unchecked. @throws Error with the address and what went wrong. */
export async function fetchJson(
  url: string,
  headers: Readonly<Record<string, string>>,
  limits: DownloadLimits & { readonly signal: AbortSignal },
): Promise<unknown> {
  const chunks: Uint8Array[] = [];
  await receive(url, headers, limits, async (chunk) => void chunks.push(chunk));
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch (error) {
    throw new Error(`${url} did not answer with JSON: ${messageOf(error)}`);
  }
}

/** Downloads into `path`; a file that is not the expected one, or not whole, is removed. @throws Error */
export async function downloadFile(url: string, path: string, download: FileDownload): Promise<void> {
  const hash = createHash("sha256");
  const file = await open(path, "wx", 0o600);
  let complete = false;
  try {
    let bytes = 0;
    await receive(url, {}, download, async (chunk) => {
      hash.update(chunk);
      bytes += chunk.length;
      await file.writeFile(chunk);
      download.onBytes(bytes);
    });
    const found = hash.digest("hex");
    if (found !== download.sha256)
      throw new Error(`${url} was refused and removed: its SHA-256 is ${found}, expected ${download.sha256}`);
    complete = true;
  } finally {
    await file.close();
    if (!complete) await discard(path);
  }
}

async function receive(
  url: string,
  headers: Readonly<Record<string, string>>,
  { silenceMs, totalMs, maxBytes, signal }: DownloadLimits & { readonly signal: AbortSignal },
  onChunk: (chunk: Uint8Array) => Promise<void>,
): Promise<void> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(new Error(`silent for ${silenceMs / 1000} s`)), silenceMs);
  const total = AbortSignal.timeout(totalMs);
  try {
    const response = await fetch(url, {
      headers: { "user-agent": USER_AGENT, ...headers },
      signal: AbortSignal.any([signal, silence.signal, total]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new Error(`HTTP ${response.status}`);
    }
    let bytes = 0;
    for await (const chunk of response.body ?? []) {
      timer.refresh();
      bytes += chunk.length;
      if (bytes > maxBytes) throw new Error(`larger than ${mebibytes(maxBytes)}`);
      await onChunk(chunk);
    }
  } catch (error) {
    signal.throwIfAborted();
    throw new Error(`${url}: ${reasonOf(error)}`);
  } finally {
    clearTimeout(timer);
  }
}

/** fetch says "fetch failed", and keeps why in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause;
  if (cause instanceof Error) return cause.message || ("code" in cause ? String(cause.code) : cause.name);
  return error.message;
}
