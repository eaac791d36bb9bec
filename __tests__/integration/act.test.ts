/** A workflow to paste, from the event to the comment: act runs it as it stands, on a checkout as GitHub makes it. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { parseDocument, visit } from "yaml";
import { provideAct, runWorkflow, type WorkflowEnd } from "../support/act.js";
import { processesWith } from "../support/cli.js";
import { GitHubDouble, type StoredPull, type StoredRun } from "../support/github/double.js";
import { app } from "../support/own-set.js";
import { commit, git, newRepository } from "../support/repository.js";
import { needing, testTool } from "../support/tools.js";
import { ANCHORED, benchOf, tinyLoad } from "../support/workflow/world.js";
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
  workflowFile = "bench.yml",
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
  const run = github.addRun({
    event: "pull_request",
    workflowFile,
    headBranch: "feature",
    headSha,
    headRepository,
    ...state,
  });
  return { repository, baseSha, pull, run };
}

async function runOn({ repository, pull, run }: Checkout, signal: AbortSignal): Promise<WorkflowEnd> {
  return await runEvent({ repository, run }, { name: "pull_request", payload: github.pullRequestEvent(pull) }, signal);
}

async function runEvent(
  { repository, run }: Pick<Checkout, "repository" | "run">,
  event: { readonly name: string; readonly payload: unknown },
  signal: AbortSignal,
): Promise<WorkflowEnd> {
  if (act.missing !== undefined) throw new Error(act.missing);
  return await runWorkflow(act.tool, {
    ...{ repository, workflow: WORKFLOW, temp: mkdtempSync(join(temp, "act-")), signal, token: github.token },
    event,
    env: {
      GITHUB_REPOSITORY: `${github.owner}/${github.repo}`,
      GITHUB_API_URL: github.url,
      GITHUB_RUN_ID: String(run.id),
      // act leaves it out; a runner says it always.
      GITHUB_WORKFLOW_REF: `${github.owner}/${github.repo}/.github/workflows/${run.workflowFile}@refs/heads/main`,
      RUNNER_TRACKING_ID: TRACKING_ID,
      ...github.runtimeEnv(run.id),
    },
  });
}

/** The workflow as it stands, but for its load: rows of a tiny app instead of whole sets of a server that has to be built. */
function tiny(name: string): string {
  const workflow = parseDocument(example(name));
  visit(workflow, {
    Map(_, step) {
      if (step.get("uses") !== "org/server-bench@v1") return;
      const inputs = { ...(step.toJSON() as { with?: Record<string, string> }).with };
      step.set("with", inputs.command === "report" ? inputs : tinyLoad({ shard: "", budget: "", ...inputs }));
    },
  });
  return workflow.toString();
}

/** The default branch, with the workflow and its scenarios. */
function onMain(name: string, event: string, rows: readonly string[]): Pick<Checkout, "repository" | "run"> {
  const repository = newRepository(join(temp, "repository"));
  const headSha = commit(repository, { [WORKFLOW]: tiny(name), ...benchOf(rows) });
  const run = github.addRun({ event, headSha, status: "in_progress", conclusion: null });
  return { repository, run };
}

const REPOSITORY = { full_name: "acme/server", default_branch: "main" };

describe.skipIf(act.missing !== undefined)(needing("a shipped workflow", act), () => {
  it("server-repository.yml: the first push to main is measured and stored", { timeout: TIMEOUT_MS }, async ({
    signal,
  }) => {
    const checkout = onMain("server-repository.yml", "push", ["hello"]);
    const payload = { ref: "refs/heads/main", after: checkout.run.headSha, repository: REPOSITORY };
    const { code, log } = await runEvent(checkout, { name: "push", payload }, signal);
    expect(code, log).toBe(0);
    expect(github.state.artifacts.map(({ name }) => name)).toEqual(["server-bench-results"]);
    expect(github.state.comments).toEqual([]);
  });

  it.for([
    ["schedule", { schedule: "17 3 * * *", repository: REPOSITORY }],
    ["workflow_dispatch", { ref: "refs/heads/main", inputs: {}, repository: REPOSITORY }],
  ] as const)(
    "nightly.yml on %s: the first night has nothing to compare with, and is stored",
    {
      timeout: TIMEOUT_MS,
    },
    async ([name, payload], { signal }) => {
      const { code, log } = await runEvent(onMain("nightly.yml", name, [ANCHORED]), { name, payload }, signal);
      expect(code, log).toBe(0);
      expect(github.state.artifacts.map((artifact) => artifact.name)).toEqual(["server-bench-results"]);
    },
  );

  it("fork-measure.yml, then fork-report.yml on workflow_run: one comment, by the second alone", {
    timeout: TIMEOUT_MS,
  }, async ({ signal }) => {
    const changed = { "hello/app.py": app(0, "# Changed") };
    const checkout = checkOut(
      { [WORKFLOW]: tiny("fork-measure.yml"), ...benchOf(["hello"]) },
      changed,
      true,
      "fork-measure.yml",
    );
    const { repository, pull, run } = checkout;
    const measured = await runOn(checkout, signal);
    expect(measured.code, measured.log).toBe(0);
    expect(github.commentsOf(pull.number)).toEqual([]);
    Object.assign(run, { status: "completed", conclusion: "success" });
    git(repository, "checkout", "--quiet", "main");
    commit(repository, { [WORKFLOW]: example("fork-report.yml") });
    const reporting = github.addRun({
      event: "workflow_run",
      workflowFile: "fork-report.yml",
      status: "in_progress",
      conclusion: null,
    });
    const event = { name: "workflow_run", payload: github.workflowRunEvent(run) };
    const { code, log } = await runEvent({ repository, run: reporting }, event, signal);
    expect(code, log).toBe(0);
    expect(github.commentsOf(pull.number)).toEqual([
      expect.objectContaining({ body: expect.stringContaining("phase=done") }),
    ]);
  });

  it("matrix.yml: planned, measured in shards, merged into one comment", { timeout: 2 * TIMEOUT_MS }, async ({
    signal,
  }) => {
    const changed = { "one/app.py": app(0, "# Changed"), "two/app.py": app(0, "# Changed") };
    const checkout = checkOut({ [WORKFLOW]: tiny("matrix.yml"), ...benchOf(["one", "two"]) }, changed);
    const { code, log } = await runOn(checkout, signal);
    expect(code, log).toBe(0);
    const [comment, ...others] = github.commentsOf(checkout.pull.number);
    expect(others).toEqual([]);
    expect(comment?.body).toMatch(/^\*\*(Of|No change found in) 2 rows:/m);
    const names = github.state.artifacts.map(({ name }) => name).sort();
    expect(names).toEqual(expect.arrayContaining(["server-bench-plan", "server-bench-results"]));
  });

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
