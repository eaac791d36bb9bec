/**
 * The artifacts of a workflow run that hold results: their names, and which of those that GitHub lists count. Listing and
 * downloading go through the REST API, because a base run, and the run of a fork, are other runs than this one.
 */
import * as v from "valibot";
import { SHARDS_MAX } from "../results/shard.js";
import { readAnswer } from "./answer.js";
import { type GitHub, type GitHubFailure, toFailure } from "./client.js";

/** A shard's is `server-bench-results-2-of-4`. With a comment-key the name is another one: `server-bench_http2_results`. */
export const RESULTS_ARTIFACT = "server-bench-results";
/** The page of a run, as a file that a browser opens. */
export const PAGE_ARTIFACT = "server-bench-page.html";
/** Results of a pull request that was measured on request (`/bench`), by a run of the default branch: never a baseline. */
export const REQUEST_ARTIFACT = "server-bench-request-results";
export const PLAN_ARTIFACT = "server-bench-plan";
/** GitHub lists 100 a page; a run of this project has some ten artifacts. */
const PER_PAGE = 100;
const MAX_PAGES = 10;

export interface ArtifactRef {
  readonly id: number;
  readonly name: string;
  readonly sizeInBytes: number;
  /** "sha256:" and hex, of the zip; artifacts from before 2025 have none. */
  readonly digest?: string | undefined;
  readonly expired: boolean;
  /** When it was uploaded. */
  readonly createdAt?: Date | undefined;
}

export interface ArtifactNames {
  readonly results: string;
  readonly plan: string;
}

export interface ArtifactInfo extends ArtifactRef {
  readonly kind: "results" | "plan";
  /** Names of artifacts that are left out for this one, but come from other jobs: oldest first. */
  readonly others: readonly string[];
  /** `index` counts from 1; absent where one artifact holds the whole run. */
  readonly shard?: { readonly index: number; readonly of: number };
}

export type Listed =
  | { readonly state: "listed"; readonly artifacts: readonly ArtifactInfo[] }
  | { readonly state: "refused"; readonly failure: GitHubFailure };

const artifactsSchema = v.object({
  artifacts: v.array(
    v.object({
      id: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
      name: v.string(),
      size_in_bytes: v.pipe(v.number(), v.minValue(0)),
      digest: v.nullish(v.string()),
      expired: v.boolean(),
      created_at: v.nullish(v.string()),
    }),
  ),
});

/**
 * The run's artifacts with these names, the newest of each: a re-run adds artifacts to those of earlier attempts. A job that
 * finds its name taken in its own attempt adds a number (see `uploadArtifact`): if there are several of these, the older ones are
 * listed as `others`. Shards with another count than the newest one belong to an earlier attempt and are left out. Expired
 * artifacts are marked. One call per 100 artifacts.
 * @param name of the results
 * @param planName of the plan
 */
export async function listResultsArtifacts(
  github: GitHub,
  runId: number,
  name = RESULTS_ARTIFACT,
  planName = PLAN_ARTIFACT,
): Promise<Listed> {
  const names = { results: name, plan: planName };
  try {
    const found: Found[] = [];
    for (let page = 1; page <= MAX_PAGES; page += 1) {
      const listed = await listPage(github, runId, page);
      found.push(...listed.flatMap((artifact) => ours(artifact, names) ?? []));
      if (listed.length < PER_PAGE) break;
    }
    return { state: "listed", artifacts: newestOfEach(found) };
  } catch (error) {
    return { state: "refused", failure: toFailure(error) };
  }
}

async function listPage({ octokit, owner, repo }: GitHub, runId: number, page: number) {
  const { data } = await octokit.rest.actions.listWorkflowRunArtifacts({
    owner,
    repo,
    run_id: runId,
    per_page: PER_PAGE,
    page,
  });
  return readAnswer(artifactsSchema, data, "the list of artifacts").artifacts;
}

type ListedArtifact = v.InferOutput<typeof artifactsSchema>["artifacts"][number];

/** An artifact that is not yet known to be the newest. */
type Found = Omit<ArtifactInfo, "others">;

function ours(artifact: ListedArtifact, names: ArtifactNames): Found | undefined {
  const { id, name, digest, expired, created_at: created } = artifact;
  const createdAt = typeof created === "string" ? new Date(created) : undefined;
  const ref = { id, name, sizeInBytes: artifact.size_in_bytes, digest: digest ?? undefined, expired, createdAt };
  if (isForm(name, names.plan)) return { ...ref, kind: "plan" };
  if (isForm(name, names.results)) return { ...ref, kind: "results" };
  if (!name.startsWith(`${names.results}-`)) return undefined;
  const [, index, of] =
    /^([1-9]\d{0,3})-of-([1-9]\d{0,3})(?:-[2-9])?$/.exec(name.slice(names.results.length + 1)) ?? [];
  if (index === undefined || Number(index) > Number(of) || Number(of) > SHARDS_MAX) return undefined;
  return { ...ref, kind: "results", shard: { index: Number(index), of: Number(of) } };
}

/** The name, or the name with the number that it gets when it was taken. */
function isForm(name: string, form: string): boolean {
  return name === form || (name.startsWith(`${form}-`) && /^[2-9]$/.test(name.slice(form.length + 1)));
}

function newestOfEach(artifacts: readonly Found[]): readonly ArtifactInfo[] {
  const byAge = [...artifacts].sort((a, b) => a.id - b.id);
  const shards = byAge.findLast((artifact) => artifact.shard)?.shard?.of;
  const newest = new Map<string, ArtifactInfo>();
  for (const artifact of byAge) {
    if (artifact.shard && artifact.shard.of !== shards) continue;
    const slot = `${artifact.kind} ${artifact.shard?.index ?? 0}`;
    newest.set(slot, { ...artifact, others: othersOf(artifact, newest.get(slot)) });
  }
  return [...newest.values()].sort((a, b) => (a.shard?.index ?? 0) - (b.shard?.index ?? 0));
}

/** Another attempt uses the same name again. Another name in the same slot was uploaded by another job of one attempt. */
function othersOf({ name }: Found, older: ArtifactInfo | undefined): readonly string[] {
  return older ? [...new Set([...older.others, older.name])].filter((other) => other !== name) : [];
}
