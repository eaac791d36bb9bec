/** A workflow to paste, from the event to the comment: act runs it as it stands, on a checkout as GitHub makes it. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { provideAct, runWorkflow, type WorkflowEnd } from "../support/act.js";
import { processesWith } from "../support/cli.js";
import { GitHubDouble, type StoredPull, type StoredRun } from "../support/github/double.js";
import { commit, git, newRepository } from "../support/repository.js";
import { needing, testTool } from "../support/tools.js";
import { filesShownIn, ROOT } from "../support/workflows.js";

const TIMEOUT_MS = 240_000;
const WORKFLOW = ".github/workflows/bench.yml";

/** Every process of a job carries it, on GitHub's runners too. */
const TRACKING_ID = `github_${randomUUID()}`;

const act = await testTool(provideAct);

let temp: string;
let github: GitHubDouble;
beforeEach(async () => {
  temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  github = await GitHubDouble.start();
});
afterEach(async () => {
  rmSync(temp, { recursive: true, force: true });
  await github[Symbol.asyncDispose]();
});

function example(name: string): string {
  return readFileSync(join(ROOT, "examples", name), "utf8");
}

/** @param burn turns of an empty loop per request */
function shop(burn: number): Record<string, string> {
  const main = `from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route


async def health(request):
    for _ in range(${burn}):
        pass
    return PlainTextResponse("ok")


app = Starlette(routes=[Route("/health", health)])
`;
  return { "shop/__init__.py": "", "shop/main.py": main };
}

interface Checkout {
  readonly repository: string;
  readonly baseSha: string;
  readonly pull: StoredPull;
  readonly run: StoredRun;
}

/** Pull request 7, checked out as a runner does: GitHub's merge of it into main, on no branch. */
function checkOut(
  base: Readonly<Record<string, string>>,
  head: Readonly<Record<string, string>>,
  fork = false,
): Checkout {
  const repository = newRepository(join(temp, "repository"));
  const baseSha = commit(repository, base);
  git(repository, "checkout", "--quiet", "-b", "feature");
  const headSha = commit(repository, head);
  git(repository, "checkout", "--quiet", "--detach", "main");
  git(repository, "merge", "--quiet", "--no-ff", "-m", "Merge", "feature");
  const headRepository = fork ? "mallory/server" : `${github.owner}/${github.repo}`;
  const pull = github.addPull({ number: 7, headSha, baseSha, headRepository });
  const state = { status: "in_progress", conclusion: null } as const;
  const run = github.addRun({ event: "pull_request", headBranch: "feature", headSha, headRepository, ...state });
  return { repository, baseSha, pull, run };
}

async function runOn({ repository, pull, run }: Checkout, signal: AbortSignal): Promise<WorkflowEnd> {
  if (act.missing !== undefined) throw new Error(act.missing);
  return await runWorkflow(act.tool, {
    ...{ repository, workflow: WORKFLOW, temp, signal, token: github.token },
    event: { name: "pull_request", payload: github.pullRequestEvent(pull) },
    env: {
      GITHUB_REPOSITORY: `${github.owner}/${github.repo}`,
      GITHUB_API_URL: github.url,
      GITHUB_RUN_ID: String(run.id),
      RUNNER_TRACKING_ID: TRACKING_ID,
      ...github.runtimeEnv(run.id),
    },
  });
}

describe.skipIf(act.missing !== undefined)(needing("a shipped workflow", act), () => {
  it("app.yml: a slower pull request is measured beside its base, and another job reports it in one comment", {
    timeout: TIMEOUT_MS,
  }, async ({ signal }) => {
    const workflow = example("app.yml");
    const checkout = checkOut({ [WORKFLOW]: workflow, ...filesShownIn(workflow), ...shop(0) }, shop(10_000));
    const { baseSha, pull, run } = checkout;
    const { code, log } = await runOn(checkout, signal);
    expect(code, log).toBe(0);
    const [comment, ...others] = github.commentsOf(pull.number);
    expect(others).toEqual([]);
    const text = comment?.body ?? log;
    expect(text).toContain(`<!-- server-bench key=default run=${run.id} attempt=1 phase=done -->\n`);
    expect(text).toContain("**Of 1 row: 1 worse.**");
    expect(text).toContain("Health (c64)");
    expect(text).toContain(`/commit/${baseSha}`);
    expect(text).toContain(`/commit/${pull.headSha}`);
    expect(text).toContain("measured side by side");
    const [artifact] = github.state.artifacts;
    expect(artifact).toMatchObject({ runId: run.id, name: "server-bench-results" });
    expect(text).toContain(`/actions/runs/${run.id}/artifacts/${artifact?.id}`);
    // The job that measured had a token that could only read; it neither commented nor said why not.
    expect(log).not.toContain("no comment: ");
    expect(log).toMatch(/^\[.*Measure.*::set-output:: comment-url=$/m);
    // The job's log, the step's summary and its outputs, as act shows them; its terminal says that it has no columns.
    expect(log).toContain("Compared with base: Of 1 row: 1 worse.");
    expect(log).toContain("Uvicorn version: ");
    expect(log).toMatch(/::set-output:: verdict=worse$/m);
    expect(log).toMatch(/::set-output:: worse=1$/m);
    expect(processesWith(TRACKING_ID)).toEqual([]);
  });

  it("server-repository.yml: a checkout that is no package of the server fails in words", {
    timeout: TIMEOUT_MS,
  }, async ({ signal }) => {
    const checkout = checkOut({ [WORKFLOW]: example("server-repository.yml") }, { "README.md": "Changed" });
    const { code, log } = await runOn(checkout, signal);
    expect(code, log).toBe(1);
    expect(log).toContain("::error::nothing could be measured");
    expect(github.commentsOf(checkout.pull.number)[0]?.body).toContain("phase=done");
    expect(github.state.artifacts).toHaveLength(1);
  });

  it("server-repository.yml: the code of a fork does not reach a runner of one's own", {
    timeout: TIMEOUT_MS,
  }, async ({ signal }) => {
    const checkout = checkOut({ [WORKFLOW]: example("server-repository.yml") }, { "README.md": "Changed" }, true);
    const { code, log } = await runOn(checkout, signal);
    expect(code, log).toBe(0);
    expect(log).not.toContain("Run Main");
    expect(github.requests).toEqual([]);
  });
});
