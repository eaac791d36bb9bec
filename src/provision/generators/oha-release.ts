/** oha from its GitHub release: the digest comes from the releases API, before the download. */
import * as v from "valibot";
import { duration } from "../../duration.js";
import { discard, temporarySibling } from "../cache/cache.js";
import { type DownloadLimits, downloadFile, fetchJson } from "../cache/download.js";
import { type ProvisionContext, secondsSince } from "../context.js";
import { mebibytes } from "../folder-size.js";

const DEFAULT_API = "https://api.github.com";
const API_VERSION = "2022-11-28";

export interface ReleaseLimits {
  readonly api: DownloadLimits;
  readonly asset: DownloadLimits;
}
/** The answer is some 30 KB, the program some 20 MB; a network that is silent for so long is none. */
export const RELEASE_LIMITS: ReleaseLimits = {
  api: { silenceMs: 8_000, totalMs: 20_000, maxBytes: 2 * 1024 * 1024 },
  asset: { silenceMs: 15_000, totalMs: 300_000, maxBytes: 64 * 1024 * 1024 },
};

/** Names of the assets by platform and architecture, as oha's release workflow has them. */
const ASSETS: Readonly<Record<string, string>> = {
  "linux-x64": "oha-linux-amd64",
  "linux-arm64": "oha-linux-arm64",
  "darwin-x64": "oha-macos-amd64",
  "darwin-arm64": "oha-macos-arm64",
};

const releaseSchema = v.object({
  assets: v.array(
    v.object({
      name: v.string(),
      size: v.number(),
      browser_download_url: v.pipe(v.string(), v.url()),
      digest: v.optional(v.nullable(v.string())),
    }),
  ),
});
type Asset = v.InferOutput<typeof releaseSchema>["assets"][number];

/**
 * Downloads the release's program beside `folder`; the file's digest is the one that the API gave.
 * @throws Error with the reason why there is none.
 */
export async function downloadRelease(
  context: ProvisionContext,
  request: { readonly step: string; readonly version: string; readonly target: string; readonly folder: string },
  limits: ReleaseLimits,
): Promise<{ readonly path: string; readonly origin: string }> {
  const { signal } = context.run;
  const name = ASSETS[request.target];
  if (name === undefined) throw new Error(`the release has no program for ${request.target}`);
  const api = (context.env.GITHUB_API_URL || DEFAULT_API).replace(/\/+$/, "");
  const url = `${api}/repos/hatoo/oha/releases/tags/v${request.version}`;
  const headers = { accept: "application/vnd.github+json", "x-github-api-version": API_VERSION };
  const asset = findAsset(await fetchJson(url, headers, { ...limits.api, signal }), name, url);
  const sha256 = digestOf(asset, url);
  checkAddress(asset, api);
  if (asset.size > limits.asset.maxBytes)
    throw new Error(`${name} has ${mebibytes(asset.size)}, more than the ${mebibytes(limits.asset.maxBytes)} allowed`);
  const path = temporarySibling(request.folder);
  const started = performance.now();
  const onBytes = (bytes: number): void =>
    context.progress.update(
      request.step,
      `${mebibytes(bytes)} of ${mebibytes(asset.size)}, ${duration(secondsSince(started))}`,
    );
  try {
    await downloadFile(asset.browser_download_url, path, { ...limits.asset, sha256, signal, onBytes });
  } catch (error) {
    await discard(path);
    throw error;
  }
  return { path, origin: asset.browser_download_url };
}

function findAsset(answer: unknown, name: string, url: string): Asset {
  const parsed = v.safeParse(releaseSchema, answer);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    throw new Error(`${url}: unexpected answer at ${v.getDotPath(issue) ?? "its root"}: ${issue.message}`);
  }
  const asset = parsed.output.assets.find((candidate) => candidate.name === name);
  if (asset === undefined) throw new Error(`${url}: the release has no asset ${name}`);
  return asset;
}

function digestOf(asset: Asset, url: string): string {
  const sha256 = /^sha256:([0-9a-f]{64})$/.exec(asset.digest ?? "")?.[1];
  if (sha256 === undefined) throw new Error(`${url}: asset ${asset.name} has no SHA-256 digest, so it was refused`);
  return sha256;
}

/** A program comes over TLS, or from the API's own origin. */
function checkAddress(asset: Asset, api: string): void {
  const { protocol, origin } = new URL(asset.browser_download_url);
  if (protocol !== "https:" && origin !== new URL(api).origin)
    throw new Error(`${asset.browser_download_url}: a download without TLS was refused`);
}
