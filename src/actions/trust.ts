/** Whether the results that a job reports are its own repository's, or claims of a pull request's run; and what may be shown of claims. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { messageLine } from "../errors.js";
import type { GitHub } from "../github/client.js";
import { verifyCommits } from "../github/commits.js";
import type { Job, PullRequest } from "../github/job.js";
import { type ScenarioFile, scenarioFilesOn } from "../github/scenario-files.js";
import type { Part } from "../merge/parts.js";
import { plannableNames } from "../plan/plan.js";
import type { KnownNames } from "../report/trust/names.js";
import type { Trust } from "../report/trust/trust.js";
import type { Results } from "../results/schema.js";
import type { ActionContext } from "./context.js";

/** Runs of these events use code that is already on the branch. */
const OF_THE_BRANCH: readonly string[] = ["push", "schedule", "workflow_dispatch"];

const CLAIMS: Trust = { kind: "pull-request-run", head: "claimed", base: "claimed" };

/**
 * A run of a branch of this repository is no better than a fork's: both run the code of the pull request. Only runs of the
 * default branch are trusted.
 * @param requested a request (`/bench`) made an earlier job of this run measure a pull request
 */
export function trustOf({ event, owner, repo, defaultBranch }: Job, requested = false): Trust {
  if (requested) return CLAIMS;
  if (event.kind !== "workflow_run") return { kind: "own" };
  const { run } = event;
  const ours = run.headRepository?.toLowerCase() === `${owner}/${repo}`.toLowerCase();
  const landed = defaultBranch !== undefined && run.headBranch === defaultBranch && OF_THE_BRANCH.includes(run.event);
  return ours && landed ? { kind: "own" } : CLAIMS;
}

/** Whether GitHub confirms the commits that the results name, and which of their names may be shown. */
export async function trustIn(
  action: ActionContext,
  given: {
    readonly job: Job;
    readonly github: GitHub;
    readonly pull: PullRequest | undefined;
    readonly parts: readonly Part[];
  },
): Promise<Trust> {
  const { job, github, pull, parts } = given;
  const requested = action.inputs.request !== undefined;
  const trust = trustOf(job, requested);
  if (trust.kind === "own" || parts.length === 0) return trust;
  const results = parts.map((part) => part.results);
  const names = await knownNames(action, measuringFile(job), results);
  const commits = pull && (await verifyCommits(github, pull, results));
  return { ...trust, ...commits, names };
}

/** The workflow whose runs stored the results. */
export function measuringFile({ event, workflowFile }: Job): string {
  return event.kind === "workflow_run" ? event.run.workflowFile : workflowFile;
}

/** No machine has more; the results' own figure is a claim. */
const CPUS_MAX = 4096;

/** Asks GitHub only where the built-in scenarios lack a name. Never throws. */
async function knownNames(
  action: ActionContext,
  workflowFile: string,
  results: readonly Results[],
): Promise<KnownNames> {
  const { context, github, job, inputs, log } = action;
  const cores = Math.min(CPUS_MAX, Math.max(1, results[0]?.environment.cpus ?? 1));
  const builtIn = known(await plannableNames({ root: context.root }, inputs.cores ?? cores));
  if (!results.some((one) => hasOthers(one, builtIn))) return builtIn;
  const unread = (reason: string) => {
    log(
      `names of benchmarks that are not built in are numbered: the scenarios of the default branch are not known: ${reason}`,
    );
    return { ...builtIn, unread: reason };
  };
  if (!github || job?.defaultBranch === undefined) return unread("the event does not name it");
  const folder = await scenarioFilesOn(github, job.defaultBranch, workflowFile, inputs.scenariosDir);
  if (folder.state === "unread") return unread(folder.reason);
  if (folder.files.length === 0) return builtIn;
  try {
    return known(await namesIn(context.root, folder.files, inputs.cores ?? cores));
  } catch (error) {
    return unread(messageLine(error));
  }
}

function known({ rows, servers }: { readonly rows: string[]; readonly servers: string[] }): KnownNames {
  return { rows: new Set(rows), servers: new Set(servers) };
}

function hasOthers({ cases, comparison, furtherMetrics = [], run }: Results, { rows, servers }: KnownNames): boolean {
  const ids = [
    ...[
      ...cases,
      ...furtherMetrics,
      ...(comparison?.rows ?? []),
      ...(comparison?.controls ?? []),
      ...(comparison?.notCompared ?? []),
    ].map(({ id }) => id),
    ...(run.missing ?? []).flatMap((missing) => missing.rows),
  ];
  return ids.some((id) => !rows.has(id)) || cases.some(({ server }) => !servers.has(server.name));
}

/** The reader of scenario files reads a folder; these are written to one of their own, and nothing of them is run. */
async function namesIn(root: string, files: readonly ScenarioFile[], cores: number) {
  const scenarios = await mkdtemp(join(tmpdir(), "server-bench-names-"));
  try {
    for (const { name, text } of files) await writeFile(join(scenarios, name), text);
    return await plannableNames({ root, scenarios }, cores);
  } finally {
    await rm(scenarios, { recursive: true, force: true });
  }
}
