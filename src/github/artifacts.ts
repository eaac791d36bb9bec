/**
 * Results as artifacts of a workflow run. Uploading goes through the runner's own service; listing and downloading
 * through the REST API, because a base run, and the run of a fork, are other runs than this one.
 */
import { createHash } from "node:crypto";
import * as v from "valibot";
import { causeOf, InputError, messageOf } from "../errors.js";
import { type PlanFile, parsePlanFile } from "../results/plan-file.js";
import { parseResults } from "../results/read.js";
import type { Results } from "../results/schema.js";
import { SHARDS_MAX } from "../results/shard.js";
import { readAnswer } from "./answer.js";
import { readArchive } from "./archive.js";
import { type GitHub, type GitHubFailure, toFailure } from "./client.js";

export { uploadArtifact, uploadFile } from "./upload.js";

/** A shard's is `server-bench-results-2-of-4`. With a comment-key the name is another one: `server-bench_http2_results`. */
export const RESULTS_ARTIFACT = "server-bench-results";
/** The page of a run, as a file that a browser opens. */
export const PAGE_ARTIFACT = "server-bench-page.html";
/** Results of a pull request that was measured on request (`/bench`), by a run of the default branch: never a baseline. */
export const REQUEST_ARTIFACT = "server-bench-request-results";
export const PLAN_ARTIFACT = "server-bench-plan";
const RESULTS_FILE = "results.json";
export const PLAN_FILE = "plan.json";

/** The zipped results.json of every set is smaller than a hundredth of this. */
export const MAX_ZIP_BYTES = 64 * 1024 * 1024;
/** GitHub lists 100 a page; a run of this project has some ten artifacts. */
const PER_PAGE = 100;
const MAX_PAGES = 10;
/** For the whole download. The signed URL is valid for one minute. */
const DOWNLOAD_TIMEOUT_MS = 120_000;
const DOWNLOAD_ATTEMPTS = 3;

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

export type Download =
  | { readonly state: "downloaded"; readonly zip: Buffer }
  /** Expired, deleted, or of an earlier attempt. */
  | { readonly state: "gone"; readonly reason: string }
  | Refused;

/** `failure`: GitHub refused. Without it the content cannot be used. */
interface Refused {
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

export type ReadArtifact<T> =
  | ({ readonly state: "read" } & T)
  | { readonly state: "gone"; readonly reason: string }
  | Refused;

/** The results of a run, checked as hostile data. Costs one call of the API. */
export async function readResultsArtifact(
  github: GitHub,
  artifact: ArtifactRef,
  options?: DownloadOptions,
): Promise<ReadArtifact<{ readonly results: Results; readonly characters: number }>> {
  const read = (text: string, source: string) => ({ results: parseResults(text, source), characters: text.length });
  return await readFile(github, artifact, { file: RESULTS_FILE, read }, options);
}

/** Which rows each shard was to measure. Costs one call of the API. */
export async function readPlanArtifact(
  github: GitHub,
  artifact: ArtifactRef,
  options?: DownloadOptions,
): Promise<ReadArtifact<{ readonly plan: PlanFile }>> {
  const read = (text: string, source: string) => ({ plan: parsePlanFile(text, source) });
  return await readFile(github, artifact, { file: PLAN_FILE, read }, options);
}

/** One text file at the artifact's root. */
async function readFile<T>(
  github: GitHub,
  artifact: ArtifactRef,
  { file, read }: { readonly file: string; readonly read: (text: string, source: string) => T },
  options?: DownloadOptions,
): Promise<ReadArtifact<T>> {
  const download = await downloadArtifact(github, artifact, options);
  if (download.state !== "downloaded") return download;
  const title = titleOf(artifact);
  try {
    const text = (await readArchive(download.zip, file, title)).get(file);
    if (text === undefined) return { state: "refused", reason: `${title}: holds no ${file}` };
    return { state: "read", ...read(text, `${title}: ${file}`) };
  } catch (error) {
    if (error instanceof InputError) return { state: "refused", reason: error.message };
    throw error;
  }
}

function titleOf({ name, id }: ArtifactRef): string {
  return `artifact ${oneWord(name)} (${id})`;
}

function tooLarge(title: string): string {
  return `${title} is larger than ${MAX_ZIP_BYTES / 1024 / 1024} MiB`;
}

function oneWord(text: string): string {
  return text.replace(/[^\w.:-]+/g, "?").slice(0, 100);
}
