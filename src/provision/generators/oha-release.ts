/** oha from its GitHub release: version and digests stand here, so that nothing is asked but the file itself. */
import { duration } from "../../messages/duration.js";
import { discard, temporarySibling } from "../cache/cache.js";
import { type DownloadLimits, downloadFile } from "../cache/download.js";
import { type ProvisionContext, secondsSince } from "../context.js";
import { mebibytes } from "../folder-size.js";

/** The version that is installed, and the oldest one that is used: the first whose JSON this project was tried with. */
export const OHA_VERSION = "1.16.0";

interface ReleaseAsset {
  readonly name: string;
  /** SHA-256 in hexadecimal. */
  readonly sha256: string;
}

export interface OhaRelease {
  /** Folder of the release's files. */
  readonly address: string;
  /** By platform and architecture. */
  readonly assets: Readonly<Record<string, ReleaseAsset>>;
  readonly limits: DownloadLimits;
}

/**
 * The digests are those that GitHub's releases API shows for https://github.com/hatoo/oha/releases/tag/v1.16.0. With a new
 * version, take them from there: `gh api repos/hatoo/oha/releases/tags/vX.Y.Z --jq '.assets[] | .name + " " + .digest'`.
 */
export const OHA_RELEASE: OhaRelease = {
  address: `https://github.com/hatoo/oha/releases/download/v${OHA_VERSION}`,
  assets: {
    "linux-x64": {
      name: "oha-linux-amd64",
      sha256: "620bb9e16fb53eabc9a3fc45f88bdb41fefa3fee5c05e75892011ce320391716",
    },
    "linux-arm64": {
      name: "oha-linux-arm64",
      sha256: "99a790eb8c3e0feaca974bd6b32f0f8d4426a0c5b289f39e833e5b2c7529cd39",
    },
    "darwin-x64": {
      name: "oha-macos-amd64",
      sha256: "5ecbfc5233e3f1d30384e142a9a8dd7ebf9d3298ab22476fabac44a8f2117e08",
    },
    "darwin-arm64": {
      name: "oha-macos-arm64",
      sha256: "7dea53ecb8342a7a067e1976fd0aef44ac33d9cc6b1e65c53637ffb932da63c4",
    },
  },
  // The program has some 20 MB; a network that is silent for longer does not work.
  limits: { silenceMs: 15_000, totalMs: 300_000, maxBytes: 64 * 1024 * 1024, retryAfterMs: [1_000, 4_000] },
};

/**
 * Downloads the release's program beside `folder`.
 * @throws Error with the reason why there is none.
 */
export async function downloadRelease(
  context: ProvisionContext,
  request: { readonly step: string; readonly target: string; readonly folder: string },
  { address, assets, limits }: OhaRelease,
): Promise<{ readonly path: string; readonly origin: string }> {
  const { env, progress, run } = context;
  const asset = assets[request.target];
  if (asset === undefined) throw new Error(`the release has no program for ${request.target}`);
  const url = `${address}/${asset.name}`;
  const path = temporarySibling(request.folder);
  const started = performance.now();
  const onBytes = (bytes: number): void =>
    progress.update(request.step, `${mebibytes(bytes)} downloaded, ${duration(secondsSince(started))}`);
  try {
    await downloadFile(url, path, { ...limits, sha256: asset.sha256, signal: run.signal, onBytes, env });
  } catch (error) {
    await discard(path);
    throw error;
  }
  return { path, origin: url };
}
