/** A job that is cancelled while its results are uploaded: the comment does not wait for the upload. */
import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { RunComment } from "../../src/actions/comment.js";
import { unlessCancelled } from "../../src/actions/finish-in-peace.js";
import { publish } from "../../src/actions/publish.js";
import { ResultsWriter } from "../../src/commands/results-writer.js";
import { openAction } from "../support/action.js";
import type { GitHubDouble } from "../support/github/double.js";
import { eachOnGitHub } from "../support/github/each.js";
import { sampleResults } from "../support/results.js";

const PULL = 7;
let workspace: string;
let github: GitHubDouble;
eachOnGitHub((folder, double) => {
  workspace = folder;
  github = double;
});

/** A job of the pull request that has measured, with its comment. */
async function measuredJob() {
  const { headSha } = github.addPull({ number: PULL });
  const run = github.addRun({ event: "pull_request", headSha, status: "in_progress", conclusion: null });
  const env = { ...(await github.jobEnv(run)), ...github.runtimeEnv(run.id), RUNNER_TEMP: workspace };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  const { action } = await openAction(github, workspace, env, { token: "test-token", comment: "true" });
  const target = { pullRequest: PULL, run: { id: run.id, attempt: run.attempt, url: "https://github.com/run" } };
  const comment = RunComment.open(action, target);
  const writer = new ResultsWriter(join(workspace, "out"), sampleResults());
  await writer.open();
  await writer.finish({});
  const { results, resultsPath, reportPath } = writer;
  return { action, comment, finished: { results, resultsPath, reportPath, exitCode: 0 } };
}

const phases = () => github.commentsOf(PULL).map(({ body }) => /phase=(\w+)/.exec(body)?.[1]);

it("writes the comment at once, and uploads no page after the results", { timeout: 30_000 }, async () => {
  const { action, comment, finished } = await measuredJob();
  await comment?.begin(2);
  expect(phases()).toEqual(["measuring"]);
  const cancel = new AbortController();
  const upload = new AbortController();
  const finish = new Promise<void>((resolve) => upload.signal.addEventListener("abort", () => resolve()));
  github.before({ path: /twirp/ }, async () => {
    cancel.abort();
    await finish;
  });
  const published = publish(action, finished, comment, { cancelled: cancel.signal });
  await expect.poll(phases, { timeout: 20_000 }).toEqual(["done"]);
  expect(github.state.archives).toEqual([]);
  upload.abort();
  expect((await published).outputs).toHaveProperty("artifact-id");
  expect(github.state.archives).toHaveLength(1);
  expect(github.state.pages).toEqual([]);
});

it("starts no further work for a job that is cancelled", async () => {
  const work = vi.fn(() => Promise.resolve("done"));
  expect(await unlessCancelled(work, AbortSignal.abort())).toBeUndefined();
  expect(work).not.toHaveBeenCalled();
  expect(await unlessCancelled(work, new AbortController().signal)).toBe("done");
});
