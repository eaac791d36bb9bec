/** A repository in which somebody asks for a measurement: `/bench` in pull request 7, and the run that it starts. */
import { join } from "node:path";
import { makeRequest } from "../../../src/actions/bench/request.js";
import { type GitHubDouble, type StoredPull, shaOf } from "../github/double.js";
import { commentEvent, labelEvent } from "../github/factories.js";
import { commit, git, newRepository } from "../repository.js";
import type { WorkflowWorld } from "./runner.js";
import { benchOf, changedApps, type StateName, tinyLoad, type WorldOptions } from "./world.js";

const ASKED_AT = "2026-11-20T12:00:00Z";
const PUSHED_AT = "2026-11-20T11:00:00Z";
const MEASURES = "bench-measure.yml";

export function makeAskedWorld({ github, temp, event, state, workflowFile, rows }: WorldOptions): WorkflowWorld {
  const repository = newRepository(join(temp, "repository"));
  const baseSha = commit(repository, benchOf(rows));
  git(repository, "checkout", "--quiet", "-b", "feature");
  const headSha = commit(repository, changedApps({ rows, workflowFile }));
  // The default branch went on: its newer commits do not count against the pull request.
  git(repository, "checkout", "--quiet", "main");
  const mainSha = commit(repository, { "README.md": "Newer" });
  const pull = addPull(github, state, headSha, mainSha);
  github.addCommit(mainSha, { branch: "main" });
  github.addComparison("main", baseSha, { aheadBy: 0, behindBy: 1 });
  const run = github.addRun({ event, workflowFile, headSha: mainSha, status: "in_progress", conclusion: null });
  const payload = payloadOf(github, event, state, pull);
  const inputs = state === "asked-elsewhere" ? { request: requestOf(pull, shaOf("elsewhere")) } : undefined;
  return {
    github,
    run,
    repository,
    temp,
    inputs: (given) => tinyLoad({ ...given, ...changed(given, inputs) }),
    event: { name: event, payload, ref: "refs/heads/main" },
  };
}

/** Only steps that take a request get another one. */
function changed(given: Readonly<Record<string, string>>, inputs: Readonly<Record<string, string>> | undefined) {
  return given.request === "" ? {} : inputs;
}

function addPull(github: GitHubDouble, state: StateName, headSha: string, baseSha: string): StoredPull {
  github.state.roles.set("maint", "write");
  github.state.files.set(`.github/workflows/${MEASURES}`, "name: Benchmark on request\n");
  const headRepository = state === "asked-for-fork" ? "mallory/server" : `${github.owner}/${github.repo}`;
  const pull = github.addPull({ number: 7, headSha, baseSha, headRepository });
  github.state.pushes.push({ ref: "refs/heads/feature", before: shaOf("before"), after: headSha, at: PUSHED_AT });
  return pull;
}

function payloadOf(
  github: GitHubDouble,
  event: string,
  state: StateName,
  pull: StoredPull,
): Readonly<Record<string, unknown>> {
  const login = state === "asked-by-stranger" ? "stranger" : "maint";
  if (event === "pull_request") return labelEvent(pull, "bench", login);
  if (event === "workflow_dispatch")
    return {
      inputs: { request: requestOf(pull, pull.headSha) },
      ref: "refs/heads/main",
      repository: { full_name: `${github.owner}/${github.repo}`, default_branch: "main" },
    };
  const body = "/bench";
  return commentEvent(pull, github.addComment({ issue: 7, login, body, createdAt: ASKED_AT, updatedAt: ASKED_AT }));
}

function requestOf({ number, headSha: _, baseSha, headRepository }: StoredPull, sha: string): string {
  const request = makeRequest({
    pullRequest: number,
    sha,
    base: baseSha,
    fork: headRepository === "mallory/server",
    arguments: [],
    key: "request",
    comment: null,
    by: "maint",
    replace: false,
  });
  return JSON.stringify(request);
}
