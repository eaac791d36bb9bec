/** Which runs of a branch may be a base, and which of them measured a commit or one before it. */
import * as v from "valibot";
import { readAnswer } from "./answer.js";
import { type GitHub, toFailure } from "./client.js";

/** Their code is the repository's own; a `pull_request` run measures, and can forge, anything. */
const EVENTS: readonly string[] = ["push", "schedule", "workflow_dispatch"];
/** Results are uploaded before `fail-on` decides: a red run must not freeze the base. */
const CONCLUSIONS: readonly (string | null)[] = ["success", "failure"];
const PER_PAGE = 50;
/** Beyond these 150 runs a base is too old to say much. */
const MAX_PAGES = 3;

export interface BaseRun {
  readonly id: number;
  readonly sha: string;
  readonly url: string;
  readonly startedAt: string;
}

export interface BaseOf {
  /** The branch that a pull request wants into. */
  readonly branch: string;
  /** Of the pull request: runs of later commits have measured changes that the pull request does not hold. */
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
  /** Those of the base commit first, then older ones, newest first. */
  readonly runs: readonly BaseRun[];
  /** Finished runs listed for the branch, those that do not count included. */
  readonly listed: number;
  /** Counted runs that are left out because they measured commits after the base commit. */
  readonly later: number;
  /**
   * Where the commit lies on the branch: the name of a run's branch says little, for a tag can have the same. Costs a
   * call, unless it is the base commit.
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
 * One call, where the base commit's run is among the newest; otherwise one to see which runs come after that commit, and
 * one to ask for older runs of it where not all are listed; and one for each further page, while none counts (a fork's branch of the same name is listed too).
 * @throws what `toFailure` puts into words
 */
export async function findBaseRuns(github: GitHub, of: BaseOf): Promise<BaseRuns> {
  const listing = await listGood(github, of);
  const { good, listed } = listing;
  const compared = new Map<string, Promise<Comparison | undefined>>();
  const compareWith = (sha: string) => {
    const comparison = compared.get(sha) ?? compare(github, of.baseSha ?? of.branch, sha);
    compared.set(sha, comparison);
    return comparison;
  };
  const runs = await upToBase(github, of, listing, compareWith);
  return {
    runs: runs.map(baseRun),
    listed,
    later: good.filter((run) => !runs.includes(run)).length,
    place: async (sha) => (sha === of.baseSha ? { state: "on-branch", behind: 0 } : placeOf(await compareWith(sha))),
  };
}

interface Listing {
  readonly good: readonly Run[];
  readonly listed: number;
  /** There are no further pages. */
  readonly complete: boolean;
}

async function listGood(github: GitHub, of: BaseOf): Promise<Listing> {
  const good: Run[] = [];
  let listed = 0;
  let complete = false;
  for (let page = 1; page <= MAX_PAGES && good.length === 0 && !complete; page += 1) {
    const runs = await listPage(github, of, { page });
    listed += runs.filter(({ conclusion }) => conclusion !== null && conclusion !== undefined).length;
    good.push(...runs.filter((run) => counts(run, github, of)));
    complete = runs.length < PER_PAGE;
  }
  return { good, listed, complete };
}

async function listPage(
  { octokit, owner, repo }: GitHub,
  { branch, workflowFile }: BaseOf,
  filter: { readonly page?: number; readonly head_sha?: string },
): Promise<readonly Run[]> {
  const { data } = await octokit.rest.actions.listWorkflowRuns({
    ...{ owner, repo, workflow_id: workflowFile, branch },
    ...{ exclude_pull_requests: true, per_page: PER_PAGE },
    ...filter,
  });
  return readAnswer(runsSchema, data, `the list of the runs of ${workflowFile}`).workflow_runs;
}

/** Checks also what the request filters by: the listing holds the runs of forks. */
function counts(run: Run, { owner, repo }: GitHub, { branch, workflowFile }: BaseOf): boolean {
  // GitHub writes the path with and without "@ref" behind it.
  const [path = ""] = run.path.split("@");
  return (
    run.head_repository?.full_name.toLowerCase() === `${owner}/${repo}`.toLowerCase() &&
    EVENTS.includes(run.event) &&
    path === `.github/workflows/${workflowFile}` &&
    run.head_branch === branch &&
    CONCLUSIONS.includes(run.conclusion ?? null)
  );
}

/** The runs of the base commit and those before them. Listings are newest first. */
async function upToBase(
  github: GitHub,
  of: BaseOf,
  { good, complete }: Listing,
  compareWith: (sha: string) => Promise<Comparison | undefined>,
): Promise<readonly Run[]> {
  const { baseSha } = of;
  if (baseSha === undefined) return good;
  const at = good.findIndex((run) => run.head_sha === baseSha);
  if (at >= 0) return good.slice(at);
  const own = complete ? [] : await listOwn(github, of, baseSha);
  const [newest] = own;
  if (newest) return [...own, ...good.filter((run) => run.created_at < newest.created_at)];
  const [first] = good;
  const comparison = first && (await compareWith(first.head_sha));
  return comparison ? before(good, comparison) : good;
}

async function listOwn(github: GitHub, of: BaseOf, sha: string): Promise<readonly Run[]> {
  const runs = await listPage(github, of, { head_sha: sha });
  return runs.filter((run) => run.head_sha === sha && counts(run, github, of));
}

/**
 * Without those that measured a commit after the base commit: `comparison` lists these commits, oldest first and at most
 * 250; what is listed above the oldest such run is later still.
 */
function before(good: readonly Run[], { ahead_by, commits }: Comparison): readonly Run[] {
  if (ahead_by === 0) return good;
  const later = new Set(commits.map(({ sha }) => sha));
  return good.slice(good.findLastIndex((run) => later.has(run.head_sha)) + 1 || good.length);
}

function placeOf(comparison: Comparison | undefined): Place {
  // What is ahead of the branch is not on it.
  if (comparison?.ahead_by !== 0) return { state: "elsewhere" };
  return { state: "on-branch", behind: comparison.behind_by };
}

/** Undefined where GitHub no longer has the commit: a forced push removed it. */
async function compare({ octokit, owner, repo }: GitHub, base: string, head: string): Promise<Comparison | undefined> {
  try {
    const { data } = await octokit.rest.repos.compareCommitsWithBasehead({
      ...{ owner, repo, basehead: `${base}...${head}` },
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
