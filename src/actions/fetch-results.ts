/** The results that the jobs of a run uploaded: which run, which artifacts, and what they hold together. */
import { type ArtifactInfo, type ArtifactNames, listResultsArtifacts } from "../github/artifacts.js";
import type { GitHub } from "../github/client.js";
import type { Job } from "../github/job.js";
import { readPlanArtifact, readResultsArtifact } from "../github/read-artifact.js";
import { mergeResults } from "../merge/merge.js";
import { missingShards, withMissing } from "../merge/missing-shards.js";
import type { Part } from "../merge/parts.js";
import { nameSome } from "../messages/sentence.js";
import type { PlanFile } from "../results/plan-file.js";
import type { Results } from "../results/schema.js";
import { artifactNames } from "./artifact-names.js";
import type { ActionInputs } from "./inputs.js";

/** Of all results together: one file may have 36 Mi, 256 shards of a real run have some 50 Mi. The heap holds twice as much of it. */
const CHARACTERS_MAX = 256 * 1024 * 1024;
const TOO_MUCH = {
  state: "refused",
  reason: `the results of this run that were read before it have more than ${CHARACTERS_MAX / 1024 / 1024} Mi characters`,
} as const;

/** The run whose artifacts are read. */
export interface Source {
  readonly runId: number;
  readonly attempt: number;
  readonly runUrl: string;
  readonly headSha: string;
  /** Whether it is this run: its earlier jobs measured. */
  readonly own: boolean;
  readonly names: ArtifactNames;
}

export function sourceOf(job: Job, inputs: ActionInputs): Source {
  const { event, runId, runAttempt, runUrl, owner, repo, serverUrl } = job;
  const names = artifactNames(inputs);
  if (event.kind === "workflow_run") {
    const { id, attempt, headSha } = event.run;
    return {
      runId: id,
      attempt,
      headSha,
      runUrl: `${serverUrl}/${owner}/${repo}/actions/runs/${id}`,
      own: false,
      names,
    };
  }
  const headSha = event.kind === "pull_request" ? event.pullRequest.headSha : job.sha;
  return { runId, attempt: runAttempt, runUrl, headSha, own: true, names };
}

export interface Fetched {
  readonly parts: readonly Part[];
  readonly plan: PlanFile | undefined;
  readonly sharded: boolean;
  /** Artifacts of results that were read. */
  readonly artifacts: readonly ArtifactInfo[];
  /** Artifacts of results that could not be read. */
  readonly unread: readonly ArtifactInfo[];
  /** Artifacts of several jobs under one name, of which only the newest was read. */
  readonly mixedUp: readonly string[];
  /** What could not be read, and why; and what is mixed up. */
  readonly problems: readonly string[];
}

export async function fetchAll(
  github: GitHub,
  { runId, names }: Source,
  log: (line: string) => void,
  charactersMax = CHARACTERS_MAX,
): Promise<Fetched> {
  const listed = await listResultsArtifacts(github, runId, names.results, names.plan);
  if (listed.state === "refused")
    return {
      parts: [],
      plan: undefined,
      sharded: false,
      artifacts: [],
      unread: [],
      mixedUp: [],
      problems: [listed.failure.message],
    };
  const problems: string[] = [];
  const sources = sourcesOf(listed.artifacts);
  const parts: Part[] = [];
  const artifacts: ArtifactInfo[] = [];
  const unread: ArtifactInfo[] = [];
  let plan: PlanFile | undefined;
  let characters = 0;
  for (const artifact of sources) {
    const read = characters > charactersMax ? TOO_MUCH : await readOne(github, artifact);
    if (read.state === "read" && "plan" in read) plan = read.plan;
    else if (read.state === "read") {
      characters += read.characters;
      parts.push({ source: artifact.name, results: read.results });
      artifacts.push(artifact);
    } else {
      problems.push(problemOf(artifact, read.reason));
      if (artifact.kind === "results") unread.push(artifact);
    }
  }
  const mixedUp = mixedUpOf(sources);
  problems.push(...mixedUp);
  for (const problem of problems) log(problem);
  const sharded = parts.some(({ results }) => results.run.shard !== undefined);
  return { parts, plan, sharded, artifacts, unread, mixedUp, problems };
}

async function readOne(github: GitHub, artifact: ArtifactInfo) {
  return artifact.kind === "plan"
    ? await readPlanArtifact(github, artifact)
    : await readResultsArtifact(github, artifact);
}

/** @throws InputError for results that do not fit together */
export function mergeFetched({ parts, plan, unread }: Fetched, log: (line: string) => void): Results {
  const merged = mergeResults(parts);
  const missing = missingShards(
    parts.map(({ results }) => results),
    plan,
    unread.flatMap(({ shard }) => shard ?? []),
  );
  for (const { shard, reason } of missing) log(`shard ${shard}: ${reason}`);
  return withMissing(merged, missing);
}

/** If there are shards, only they are read: an artifact without a shard was then merged by an earlier attempt. */
function sourcesOf(artifacts: readonly ArtifactInfo[]): readonly ArtifactInfo[] {
  const sharded = artifacts.some(({ shard }) => shard !== undefined);
  return artifacts.filter(({ kind, shard }) => !sharded || kind === "plan" || shard !== undefined);
}

function mixedUpOf(sources: readonly ArtifactInfo[]): readonly string[] {
  const names = sources.flatMap(({ name, others }) => (others.length > 0 ? [...others, name] : []));
  if (names.length === 0) return [];
  return [
    `the run has the results of several jobs under one name (${nameSome(names)}), and only the newest were read: give each job that measures a comment-key, and its report the same one`,
  ];
}

function problemOf({ name }: ArtifactInfo, reason: string): string {
  return `the artifact ${name} was not read: ${reason}`;
}
