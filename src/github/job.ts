/**
 * The job as GitHub describes it: environment variables and the event file. Anybody can choose text in the event (the
 * branch names of a fork), so every field is checked before it is used.
 */

import { readFile } from "node:fs/promises";
import * as v from "valibot";
import { InputError, messageLine } from "../errors.js";
import { clip } from "../messages/clip.js";

export interface Job {
  readonly owner: string;
  readonly repo: string;
  /** Without a slash at the end, like serverUrl. */
  readonly apiUrl: string;
  readonly serverUrl: string;
  readonly runId: number;
  /** From 1; a re-run has the same run id and the next attempt. */
  readonly runAttempt: number;
  readonly runUrl: string;
  /** "bench.yml"; "" where the runner does not set it (act). */
  readonly workflowFile: string;
  readonly sha: string;
  /** The tag that was pushed or released. */
  readonly tag: string | undefined;
  readonly defaultBranch: string | undefined;
  readonly event: JobEvent;
  /** Whether the event is of another repository's branch, whatever its name: `pull_request`, `pull_request_target`, `workflow_run`. */
  readonly fork: boolean;
}

type JobEvent =
  | { readonly kind: "pull_request"; readonly pullRequest: PullRequest }
  | { readonly kind: "workflow_run"; readonly run: MeasuredRun }
  /** A merge queue tries a group of pull requests before it merges them. `baseSha` is the group's parent. */
  | { readonly kind: "merge_group"; readonly baseSha: string; readonly baseRef: string }
  /** `branch` is undefined for a tag. */
  | { readonly kind: "push"; readonly branch: string | undefined }
  /** schedule, workflow_dispatch, and pull_request_target, which the action ignores. */
  | { readonly kind: "other"; readonly name: string; readonly branch: string | undefined };

/** What a message says of pull_request_target. */
export const NOT_TAKEN = "which is not taken for a pull request, because its token can write: use pull_request";

export interface PullRequest {
  readonly number: number;
  readonly headSha: string;
  readonly headRef: string;
  /** owner/name; undefined: the fork was deleted. */
  readonly headRepository: string | undefined;
  readonly baseRef: string;
  readonly baseSha: string;
  readonly fork: boolean;
}

/** The run that started a `workflow_run` job. */
export interface MeasuredRun {
  readonly id: number;
  readonly attempt: number;
  readonly event: string;
  /** owner/name; undefined: the fork was deleted. */
  readonly headRepository: string | undefined;
  readonly headBranch: string | undefined;
  readonly headSha: string;
  readonly conclusion: string | undefined;
  readonly workflowFile: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** GitHub refuses names of more than 255 bytes. */
const MAX_REF_LENGTH = 255;

const sha = v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/, "expected a commit's SHA of 40 hexadecimal digits"));
const number = v.pipe(v.number(), v.safeInteger("expected a whole number"), v.minValue(1, "expected at least 1"));
const numeral = v.pipe(
  v.string(),
  v.regex(/^[1-9][0-9]*$/, "expected a whole number"),
  v.transform(Number),
  v.safeInteger("expected a whole number below 2^53"),
);
/** The characters that `git check-ref-format` allows. */
const ref = v.pipe(
  v.string(),
  v.maxLength(MAX_REF_LENGTH, `expected at most ${MAX_REF_LENGTH} characters`),
  v.regex(/^[^\p{Cc} ~^:?*[\\]+$/u, "expected the name of a branch or tag"),
);
const fullName = v.pipe(v.string(), v.regex(/^[\w.-]+\/[\w.-]+$/, "expected owner/name"));
const word = v.pipe(v.string(), v.regex(/^\w{1,50}$/, "expected a word"));
const webAddress = v.pipe(
  v.string(),
  v.regex(/^https?:\/\/[^\s?#]+$/, "expected an http(s) URL"),
  v.transform((url) => url.replace(/\/+$/, "")),
);

const environmentSchema = v.object({
  GITHUB_REPOSITORY: fullName,
  GITHUB_API_URL: v.optional(webAddress, "https://api.github.com"),
  GITHUB_SERVER_URL: v.optional(webAddress, "https://github.com"),
  GITHUB_RUN_ID: numeral,
  GITHUB_RUN_ATTEMPT: v.optional(numeral, "1"),
  GITHUB_WORKFLOW_REF: v.optional(
    v.pipe(
      v.string(),
      v.regex(
        /^[^/]+\/[^/]+\/\.github\/workflows\/[^/]+\.ya?ml@/,
        "expected owner/name/.github/workflows/FILE.yml@ref",
      ),
    ),
  ),
  GITHUB_SHA: sha,
  GITHUB_REF: v.optional(ref),
  GITHUB_EVENT_NAME: word,
  GITHUB_EVENT_PATH: v.optional(v.string()),
});

const repositoryName = v.nullish(v.object({ full_name: fullName }));

const anyEventSchema = v.object({ repository: v.optional(v.object({ default_branch: v.optional(ref) })) });

const pullRequestSchema = v.object({
  pull_request: v.object({
    number,
    head: v.object({ sha, ref, repo: repositoryName }),
    base: v.object({ sha, ref }),
  }),
});

/** What cannot be read is of a fork. */
const anyHeadSchema = v.object({
  pull_request: v.optional(
    v.fallback(v.object({ head: v.object({ repo: repositoryName }) }), { head: { repo: null } }),
  ),
  workflow_run: v.optional(v.fallback(v.object({ head_repository: repositoryName }), { head_repository: null })),
});

const mergeGroupSchema = v.object({
  merge_group: v.object({
    base_sha: sha,
    base_ref: v.pipe(ref, v.startsWith("refs/heads/", "expected refs/heads/BRANCH")),
  }),
});

const workflowRunSchema = v.object({
  workflow_run: v.object({
    id: number,
    run_attempt: number,
    event: word,
    head_branch: v.nullish(ref),
    head_sha: sha,
    head_repository: repositoryName,
    conclusion: v.nullish(word),
    // GitHub writes it with and without "@ref" behind it.
    path: v.pipe(v.string(), v.regex(/^\.github\/workflows\/[^/]+\.ya?ml(@|$)/, "expected .github/workflows/FILE.yml")),
  }),
});

/**
 * The job that this process runs in; undefined outside GitHub Actions.
 * @throws InputError naming the variable, or the event file and its field.
 */
export async function readJob(env: Environment): Promise<Job | undefined> {
  if (env.GITHUB_ACTIONS !== "true") return undefined;
  const given = checkEvent(environmentSchema, withoutEmpty(env), "the job's environment");
  const file = given.GITHUB_EVENT_PATH;
  const payload = file === undefined ? {} : await readEvent(file);
  const source = file ?? "GITHUB_EVENT_PATH is not set";
  const [owner = "", repo = ""] = given.GITHUB_REPOSITORY.split("/");
  const runUrl = `${given.GITHUB_SERVER_URL}/${given.GITHUB_REPOSITORY}/actions/runs/${given.GITHUB_RUN_ID}`;
  return {
    owner,
    repo,
    apiUrl: given.GITHUB_API_URL,
    serverUrl: given.GITHUB_SERVER_URL,
    runId: given.GITHUB_RUN_ID,
    runAttempt: given.GITHUB_RUN_ATTEMPT,
    runUrl: given.GITHUB_RUN_ATTEMPT === 1 ? runUrl : `${runUrl}/attempts/${given.GITHUB_RUN_ATTEMPT}`,
    workflowFile: workflowFileOf(given.GITHUB_WORKFLOW_REF ?? ""),
    sha: given.GITHUB_SHA,
    tag: /^refs\/tags\/(.+)$/.exec(given.GITHUB_REF ?? "")?.[1],
    defaultBranch: checkEvent(anyEventSchema, payload, source).repository?.default_branch,
    event: eventOf(given, payload, source),
    fork: isOfFork(payload, given.GITHUB_REPOSITORY),
  };
}

/** Of a fork that was deleted the repository is null. */
function isOfFork(payload: unknown, repository: string): boolean {
  const { pull_request: pull, workflow_run: run } = v.parse(anyHeadSchema, payload);
  const heads = [...(pull ? [pull.head.repo] : []), ...(run ? [run.head_repository] : [])];
  return heads.some((head) => head?.full_name.toLowerCase() !== repository.toLowerCase());
}

function eventOf(given: v.InferOutput<typeof environmentSchema>, payload: unknown, source: string): JobEvent {
  const name = given.GITHUB_EVENT_NAME;
  if (name === "pull_request") {
    return { kind: name, pullRequest: pullRequestOf(payload, source, given.GITHUB_REPOSITORY) };
  }
  if (name === "workflow_run") return { kind: name, run: measuredRunOf(payload, source) };
  if (name === "merge_group") return mergeGroupOf(payload, source);
  const branch = /^refs\/heads\/(.+)$/.exec(given.GITHUB_REF ?? "")?.[1];
  return name === "push" ? { kind: name, branch } : { kind: "other", name, branch };
}

function pullRequestOf(payload: unknown, source: string, repository: string): PullRequest {
  const { number: pullNumber, head, base } = checkEvent(pullRequestSchema, payload, source).pull_request;
  const headRepository = head.repo?.full_name;
  return {
    number: pullNumber,
    headSha: head.sha,
    headRef: head.ref,
    headRepository,
    baseRef: base.ref,
    baseSha: base.sha,
    fork: headRepository?.toLowerCase() !== repository.toLowerCase(),
  };
}

function mergeGroupOf(payload: unknown, source: string): JobEvent {
  const { base_sha: baseSha, base_ref: baseRef } = checkEvent(mergeGroupSchema, payload, source).merge_group;
  return { kind: "merge_group", baseSha, baseRef: baseRef.slice("refs/heads/".length) };
}

function measuredRunOf(payload: unknown, source: string): MeasuredRun {
  const run = checkEvent(workflowRunSchema, payload, source).workflow_run;
  return {
    id: run.id,
    attempt: run.run_attempt,
    event: run.event,
    headRepository: run.head_repository?.full_name,
    headBranch: run.head_branch ?? undefined,
    headSha: run.head_sha,
    conclusion: run.conclusion ?? undefined,
    workflowFile: workflowFileOf(run.path),
  };
}

/** ".github/workflows/bench.yml@main" -> "bench.yml"; a ref may hold slashes and at-signs too. */
function workflowFileOf(path: string): string {
  return /\.github\/workflows\/([^/]+?\.ya?ml)(?:@|$)/.exec(path)?.[1] ?? "";
}

export async function readEvent(file: string): Promise<unknown> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new InputError(`${file}: GitHub's event file (GITHUB_EVENT_PATH) cannot be read: ${messageLine(error)}`);
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError(`${file}: GitHub's event file is not valid JSON: ${messageLine(error)}`);
  }
}

export function checkEvent<Schema extends v.GenericSchema>(
  schema: Schema,
  value: unknown,
  source: string,
): v.InferOutput<Schema> {
  const parsed = v.safeParse(schema, value, { abortEarly: true });
  if (parsed.success) return parsed.output;
  const [issue] = parsed.issues;
  const field = v.getDotPath(issue) ?? "(the whole file)";
  if (issue.received === "undefined") throw new InputError(`${source}: ${field}: is missing`);
  const expected = issue.kind === "validation" ? issue.message : `expected ${issue.expected}`;
  throw new InputError(`${source}: ${field}: ${expected}, got ${shown(issue.input)}`);
}

/** An empty variable counts as not set. */
function withoutEmpty(env: Environment): Environment {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ""));
}

function shown(value: unknown): string {
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "an array" : "an object";
  return clip(JSON.stringify(value) ?? String(value), 60);
}
