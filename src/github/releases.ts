/** Releases of the repository. Every function throws Octokit's errors, unless its comment says otherwise. */
import * as v from "valibot";
import { readAnswer } from "./answer.js";
import { type GitHub, toFailure } from "./client.js";

export interface GitHubRelease {
  readonly id: number;
  readonly url: string;
  /** As it is stored: the line ends are the author's. */
  readonly body: string;
  readonly draft: boolean;
  /** Its files and its tag can no longer change; its text can. */
  readonly immutable: boolean;
  /** Where files are sent to: a template with `{?name,label}` at its end. */
  readonly uploadUrl: string;
}

const releaseSchema = v.object({
  id: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
  html_url: v.string(),
  tag_name: v.string(),
  body: v.nullish(v.string()),
  draft: v.boolean(),
  immutable: v.optional(v.boolean(), false),
  upload_url: v.pipe(v.string(), v.regex(/^https?:\/\/\S+$/, "expected an address of http or https")),
});
type Answer = v.InferOutput<typeof releaseSchema>;

const PER_PAGE = 100;
/** Drafts are recent: older pages are not looked at. */
const PAGES = 5;

/** All releases of this tag: the published one, or its drafts. GitHub lists drafts only for tokens that can write. */
export async function findReleases(github: GitHub, tag: string): Promise<readonly GitHubRelease[]> {
  const published = await publishedRelease(github, tag);
  if (published) return [published];
  const { octokit, owner, repo } = github;
  const drafts: GitHubRelease[] = [];
  for (let page = 1; page <= PAGES; page++) {
    const { data } = await octokit.rest.repos.listReleases({ owner, repo, per_page: PER_PAGE, page });
    const releases = readAnswer(v.array(releaseSchema), data, "the list of releases");
    drafts.push(...releases.filter((one) => one.draft && one.tag_name === tag).map(releaseOf));
    if (releases.length < PER_PAGE) break;
  }
  return drafts;
}

async function publishedRelease({ octokit, owner, repo }: GitHub, tag: string): Promise<GitHubRelease | undefined> {
  try {
    const { data } = await octokit.rest.repos.getReleaseByTag({ owner, repo, tag });
    return releaseOf(readAnswer(releaseSchema, data, "the release"));
  } catch (error) {
    if (toFailure(error).kind === "not-found") return undefined;
    throw error;
  }
}

export async function readRelease({ octokit, owner, repo }: GitHub, id: number): Promise<GitHubRelease> {
  const { data } = await octokit.rest.repos.getRelease({ owner, repo, release_id: id });
  return releaseOf(readAnswer(releaseSchema, data, "the release"));
}

/** Sent once, without a wait: before another try the caller reads the body again. */
export async function writeReleaseBody({ octokit, owner, repo }: GitHub, id: number, body: string): Promise<void> {
  await octokit.rest.repos.updateRelease({ owner, repo, release_id: id, body, request: { retries: 0 } });
}

function releaseOf({ id, html_url: url, body, draft, immutable, upload_url: uploadUrl }: Answer): GitHubRelease {
  return { id, url, body: body ?? "", draft, immutable, uploadUrl };
}
