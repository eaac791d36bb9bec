/** Which runs of a branch may be a base, and which of them measured a commit or one before it. */
import * as v from "valibot";
import { readAnswer } from "./answer.js";
import { type GitHub, toFailure } from "./client.js";

/** Runs of these events run the repository's own code. A `pull_request` run can forge its results. */
export const BASE_EVENTS: readonly string[] = ["push", "schedule", "workflow_dispatch"];
/** A failed run counts too: results are uploaded before `fail-on` decides, and a red run must not freeze the base. */
const CONCLUSIONS: readonly (string | null)[] = ["success", "failure"];
const PER_PAGE = 50;
/** A base that is older than 150 runs says little. */
const MAX_PAGES = 3;

export interface BaseRun {
  readonly id: number;
  readonly sha: string;
  readonly url: string;
  readonly startedAt: string;
}

export interface BaseOf {
  /** The base branch of a pull request, or the branch that is measured. */
  readonly branch: string;
  /** Base commit of the pull request, or the measured commit. Runs of later commits have measured changes that head does not have. */
  readonly baseSha?: string | undefined;
  /** "bench.yml" */
  readonly workflowFile: string;
}

type Place =
  /** `behind`: commits of the branch (up to the base commit, where there is one) that the run did not measure. */
  | { readonly state: "on-branch"; readonly behind: number }
  /** On another branch or a tag, or removed by a forced push. */
  | { readonly state: "elsewhere" };

export interface BaseRuns {
  /** First the runs of the base commit, then older ones, newest first. */
  readonly runs: readonly BaseRun[];
  /** Finished runs listed for the branch, including those that do not count. */
  readonly listed: number;
  /** Counted runs that are left out because they measured commits after the base commit. */
  readonly later: number;
  /**
   * Where the commit lies on the branch. The name of a run's branch is not enough: a tag can have the same name. Costs one call,
   * unless it is the base commit.
   */
  place(sha: string): Promise<Place>;
}

const runsSchema = v.object({
  workflow_runs: v.array(
    v.object({
      id: v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
      path: v.string(),
      event: v.string(),
      conclusion: v.nullish(v.string()),
      head_branch: v.nullish(v.string()),
      head_sha: v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/, "expected a commit's SHA of 40 hexadecimal digits")),
      head_repository: v.nullish(v.object({ full_name: v.string() })),
      html_url: v.string(),
      created_at: v.string(),
      run_started_at: v.nullish(v.string()),
    }),
  ),
});
type Run = v.InferOutput<typeof runsSchema>["workflow_runs"][number];

const comparisonSchema = v.object({
  ahead_by: v.number(),
  behind_by: v.number(),
  commits: v.array(v.object({ sha: v.string() })),
});
type Comparison = v.InferOutput<typeof comparisonSchema>;

/**
 * One call if the base commit's run is among the newest. Otherwise one more to see which runs come after that commit, one for
 * older runs of it if not all are listed, and one for each further page while no run counts or all that count are later: the
 * list also has runs of a fork's branch of the same name. Where these alone fill three pages, one call for each event whose runs count.
 * @throws what `toFailure` puts into words
 */
export async function findBaseRuns(github: GitHub, of: BaseOf): Promise<BaseRuns> {
  const compared = new Map<string, Promise<Comparison | undefined>>();
  const compareWith = (sha: string) => {
    const comparison = compared.get(sha) ?? compare(github, of.baseSha ?? of.branch, sha);
    compared.set(sha, comparison);
    return comparison;
  };
  const { runs, listing } = await upToBase(github, of, await listGood(github, of), compareWith);
  return {
    runs: runs.map(baseRun),
    listed: listing.listed,
    later: listing.good.filter((run) => !runs.includes(run)).length,
    place: async (sha) => (sha === of.baseSha ? { state: "on-branch", behind: 0 } : placeOf(await compareWith(sha))),
  };
}

interface Listing {
  readonly good: readonly Run[];
  readonly listed: number;
  /** So far. */
  readonly pages: number;
  /** There are no further pages. */
  readonly complete: boolean;
}

async function listGood(github: GitHub, of: BaseOf): Promise<Listing> {
  let listing: Listing = { good: [], listed: 0, pages: 0, complete: false };
  while (hasNext(listing) && listing.good.length === 0) listing = await withNextPage(github, of, listing);
  return listing.good.length > 0 || listing.complete ? listing : await listByEvent(github, of, listing);
}

/** Runs of pull requests are not among them. */
async function listByEvent(github: GitHub, of: BaseOf, listing: Listing): Promise<Listing> {
  const pages = await Promise.all(BASE_EVENTS.map((event) => listPage(github, of, { event })));
  const good = pages.flat().filter((run) => counts(run, github, of));
  return { ...listing, good: good.sort((a, b) => (a.created_at < b.created_at ? 1 : -1)) };
}

function hasNext({ pages, complete }: Listing): boolean {
  return !complete && pages < MAX_PAGES;
}

async function withNextPage(github: GitHub, of: BaseOf, { good, listed, pages }: Listing): Promise<Listing> {
  const runs = await listPage(github, of, { page: pages + 1 });
  return {
    good: [...good, ...runs.filter((run) => counts(run, github, of))],
    listed: listed + runs.filter(({ conclusion }) => conclusion !== null && conclusion !== undefined).length,
    pages: pages + 1,
    complete: runs.length < PER_PAGE,
  };
}

async function listPage(
  { octokit, owner, repo }: GitHub,
  { branch, workflowFile }: BaseOf,
  filter: { readonly page?: number; readonly head_sha?: string; readonly event?: string },
): Promise<readonly Run[]> {
  const { data } = await octokit.rest.actions.listWorkflowRuns({
    owner,
    repo,
    workflow_id: workflowFile,
    branch,
    exclude_pull_requests: true,
    per_page: PER_PAGE,
    ...filter,
  });
  return readAnswer(runsSchema, data, `the list of the runs of ${workflowFile}`).workflow_runs;
}

/** Also checks what the request filters by: the list has runs of forks too. */
function counts(run: Run, { owner, repo }: GitHub, { branch, workflowFile }: BaseOf): boolean {
  // GitHub writes the path with and without "@ref" behind it.
  const [path = ""] = run.path.split("@");
  return (
    run.head_repository?.full_name.toLowerCase() === `${owner}/${repo}`.toLowerCase() &&
    BASE_EVENTS.includes(run.event) &&
    path === `.github/workflows/${workflowFile}` &&
    run.head_branch === branch &&
    CONCLUSIONS.includes(run.conclusion ?? null)
  );
}

interface UpToBase {
  readonly runs: readonly Run[];
  /** All that was listed for it. */
  readonly listing: Listing;
}

/** The runs of the base commit and those before them. Listings are newest first. */
async function upToBase(
  github: GitHub,
  of: BaseOf,
  listing: Listing,
  compareWith: (sha: string) => Promise<Comparison | undefined>,
): Promise<UpToBase> {
  const { good } = listing;
  const { baseSha } = of;
  if (baseSha === undefined) return { runs: good, listing };
  const at = good.findIndex((run) => run.head_sha === baseSha);
  if (at >= 0) return { runs: good.slice(at), listing };
  const own = listing.complete ? [] : await listOwn(github, of, baseSha);
  const [newest] = own;
  if (newest) return { runs: [...own, ...good.filter((run) => run.created_at < newest.created_at)], listing };
  const [first] = good;
  const comparison = first && (await compareWith(first.head_sha));
  return comparison ? await beforeBase(github, of, listing, comparison) : { runs: good, listing };
}

/** Lists further pages while every run is later. */
async function beforeBase(github: GitHub, of: BaseOf, listing: Listing, comparison: Comparison): Promise<UpToBase> {
  const runs = before(listing.good, comparison);
  if (runs.length > 0 || !hasNext(listing)) return { runs, listing };
  return await beforeBase(github, of, await withNextPage(github, of, listing), comparison);
}

async function listOwn(github: GitHub, of: BaseOf, sha: string): Promise<readonly Run[]> {
  const runs = await listPage(github, of, { head_sha: sha });
  return runs.filter((run) => run.head_sha === sha && counts(run, github, of));
}

/**
 * Leaves out runs that measured a commit after the base commit. `comparison` lists these commits, oldest first and at most 250.
 * Every run that is listed before the oldest of them is later too.
 */
function before(good: readonly Run[], { ahead_by, commits }: Comparison): readonly Run[] {
  if (ahead_by === 0) return good;
  const later = new Set(commits.map(({ sha }) => sha));
  return good.slice(good.findLastIndex((run) => later.has(run.head_sha)) + 1 || good.length);
}

function placeOf(comparison: Comparison | undefined): Place {
  // A commit that is ahead of the branch is not on it.
  if (comparison?.ahead_by !== 0) return { state: "elsewhere" };
  return { state: "on-branch", behind: comparison.behind_by };
}

/** Undefined if GitHub no longer has the commit: a forced push has removed it. */
async function compare({ octokit, owner, repo }: GitHub, base: string, head: string): Promise<Comparison | undefined> {
  try {
    const { data } = await octokit.rest.repos.compareCommitsWithBasehead({
      owner,
      repo,
      basehead: `${base}...${head}`,
    });
    return readAnswer(comparisonSchema, data, "the comparison of two commits");
  } catch (error) {
    if (toFailure(error).kind === "not-found") return undefined;
    throw error;
  }
}

function baseRun(run: Run): BaseRun {
  return { id: run.id, sha: run.head_sha, url: run.html_url, startedAt: run.run_started_at ?? run.created_at };
}
