/** Files of a release. Every function throws Octokit's errors, unless its comment says otherwise. */
import * as v from "valibot";
import { readAnswer } from "./answer.js";
import type { GitHub } from "./client.js";
import type { GitHubRelease } from "./releases.js";

export interface ReleaseAsset {
  readonly id: number;
  readonly name: string;
  /** "sha256:" and hex; files of old releases have none. */
  readonly digest: string | undefined;
  /** False for the rest of an upload that broke off. */
  readonly whole: boolean;
}

interface NewAsset {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

const PER_PAGE = 100;
/** GitHub allows 1,000 files in a release. */
const PAGES = 10;

const assetSchema = v.object({
  id: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  name: v.string(),
  state: v.string(),
  digest: v.nullish(v.string()),
});

export async function readReleaseAssets({ octokit, owner, repo }: GitHub, releaseId: number): Promise<ReleaseAsset[]> {
  const assets: ReleaseAsset[] = [];
  for (let page = 1; page <= PAGES; page += 1) {
    const asked = { owner, repo, release_id: releaseId, per_page: PER_PAGE, page };
    const { data } = await octokit.rest.repos.listReleaseAssets(asked);
    const listed = readAnswer(v.array(assetSchema), data, "the list of a release's files");
    assets.push(
      ...listed.map(({ id, name, state, digest }) => ({
        id,
        name,
        digest: digest ?? undefined,
        whole: state === "uploaded",
      })),
    );
    if (listed.length < PER_PAGE) break;
  }
  return assets;
}

export async function deleteReleaseAsset({ octokit, owner, repo }: GitHub, id: number): Promise<void> {
  await octokit.rest.repos.deleteReleaseAsset({ owner, repo, asset_id: id });
}

export async function renameReleaseAsset({ octokit, owner, repo }: GitHub, id: number, name: string): Promise<void> {
  await octokit.rest.repos.updateReleaseAsset({ owner, repo, asset_id: id, name });
}

/** Sent once. Files go to another host than the rest of the API: the release names it. @returns its id */
export async function uploadReleaseAsset(
  { octokit }: GitHub,
  { uploadUrl }: GitHubRelease,
  { name, contentType, bytes }: NewAsset,
): Promise<number> {
  const headers = { "content-type": contentType, "content-length": String(bytes.length) };
  const { data } = await octokit.request({ method: "POST", url: uploadUrl, name, headers, data: bytes });
  return readAnswer(assetSchema, data, "the answer to an upload").id;
}
