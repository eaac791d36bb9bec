/** Downloading an artifact's zip, checked against its digest. */
import { createHash } from "node:crypto";
import { causeOf, messageOf } from "../errors.js";
import type { ArtifactRef } from "./artifacts.js";
import { type GitHub, type GitHubFailure, toFailure } from "./client.js";

/** The zipped results.json of every set is smaller than a hundredth of this. */
export const MAX_ZIP_BYTES = 64 * 1024 * 1024;
/** For the whole download. The signed URL is valid for one minute. */
const DOWNLOAD_TIMEOUT_MS = 120_000;
const DOWNLOAD_ATTEMPTS = 3;

export type Download =
  | { readonly state: "downloaded"; readonly zip: Buffer }
  /** Expired, deleted, or of an earlier attempt. */
  | { readonly state: "gone"; readonly reason: string }
  | Refused;

/** `failure`: GitHub refused. Without it the content cannot be used. */
export interface Refused {
  readonly state: "refused";
  readonly reason: string;
  readonly failure?: GitHubFailure;
}

export interface DownloadOptions {
  /** Wait before the second attempt; the wait before the third is four times as long. */
  readonly retryBaseMs?: number;
}

/**
 * Downloads the artifact's zip and checks its digest: one call, and a download from the signed URL in GitHub's answer. That URL
 * is on another host and needs no token, so it gets none.
 */
export async function downloadArtifact(
  github: GitHub,
  artifact: ArtifactRef,
  options: DownloadOptions = {},
): Promise<Download> {
  const title = titleOf(artifact);
  if (artifact.expired) return { state: "gone", reason: `${title} has expired` };
  if (artifact.sizeInBytes > MAX_ZIP_BYTES) return { state: "refused", reason: tooLarge(title) };
  const address = await signedUrl(github, artifact);
  if (address.state !== "found") return address;
  const download = await fetchZip(address.url, title, options.retryBaseMs ?? 1000);
  return download.state === "downloaded" ? checkDigest(download.zip, artifact) : download;
}

type Address = { readonly state: "found"; readonly url: URL } | Exclude<Download, { state: "downloaded" }>;

async function signedUrl({ octokit, owner, repo }: GitHub, artifact: ArtifactRef): Promise<Address> {
  const title = titleOf(artifact);
  try {
    const answer = await octokit.rest.actions.downloadArtifact({
      owner,
      repo,
      artifact_id: artifact.id,
      archive_format: "zip",
      request: { redirect: "manual" },
    });
    const { location } = answer.headers;
    if (location === undefined)
      return { state: "refused", reason: `${title}: GitHub did not say where it can be downloaded` };
    return checkAddress(location, octokit.request.endpoint.DEFAULTS.baseUrl, title);
  } catch (error) {
    const failure = toFailure(error);
    if (failure.kind === "not-found") return { state: "gone", reason: `${title} is no longer there (404)` };
    if (failure.kind === "gone") return { state: "gone", reason: `${title} has expired` };
    return { state: "refused", reason: `${title}: ${failure.message}`, failure };
  }
}

/** https, unless the API itself uses http (a test server). */
function checkAddress(location: string, apiUrl: string, title: string): Address {
  const url = URL.canParse(location) ? new URL(location) : undefined;
  const protocols = apiUrl.startsWith("http:") ? ["https:", "http:"] : ["https:"];
  if (url && protocols.includes(url.protocol)) return { state: "found", url };
  return { state: "refused", reason: `${title}: GitHub gave no https address for the download` };
}

/** One attempt; `failed`: it is worth another one. */
type Attempt = Download | { readonly state: "failed"; readonly reason: string };

async function fetchZip(url: URL, title: string, retryBaseMs: number): Promise<Download> {
  for (let attempt = 1; ; attempt += 1) {
    const result = await fetchOnce(url, title);
    if (result.state !== "failed") return result;
    if (attempt === DOWNLOAD_ATTEMPTS) return { state: "refused", reason: `${result.reason}: try again later` };
    await new Promise((resolve) => setTimeout(resolve, retryBaseMs * attempt ** 2));
  }
}

async function fetchOnce(url: URL, title: string): Promise<Attempt> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(DOWNLOAD_TIMEOUT_MS) });
    if (response.ok) return await readZip(response, title);
    await response.body?.cancel();
    const { status } = response;
    if (status === 404 || status === 410) return { state: "gone", reason: `${title} is no longer there (${status})` };
    const reason = `${title}: the download answered ${status}`;
    return status >= 500 || status === 429 ? { state: "failed", reason } : { state: "refused", reason };
  } catch (error) {
    return { state: "failed", reason: `${title}: the download broke off (${messageOf(causeOf(error))})` };
  }
}

/** Counts while reading, because a header can give a wrong length. */
async function readZip(response: Response, title: string): Promise<Download> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ZIP_BYTES) return { state: "refused", reason: tooLarge(title) };
    chunks.push(chunk);
  }
  return { state: "downloaded", zip: Buffer.concat(chunks) };
}

function checkDigest(zip: Buffer, artifact: ArtifactRef): Download {
  if (artifact.digest === undefined) return { state: "downloaded", zip };
  const actual = `sha256:${createHash("sha256").update(zip).digest("hex")}`;
  if (artifact.digest.toLowerCase() === actual) return { state: "downloaded", zip };
  return {
    state: "refused",
    reason: `${titleOf(artifact)}: the download (${zip.length} bytes, ${actual}) is not what was uploaded (${oneWord(artifact.digest)})`,
  };
}

export function titleOf({ name, id }: ArtifactRef): string {
  return `artifact ${oneWord(name)} (${id})`;
}

function tooLarge(title: string): string {
  return `${title} is larger than ${MAX_ZIP_BYTES / 1024 / 1024} MiB`;
}

function oneWord(text: string): string {
  return text.replace(/[^\w.:-]+/g, "?").slice(0, 100);
}
