/** Workflows to paste, from the event to the comment: act runs each as it is, on a checkout as GitHub makes it. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { provideAct } from "../support/act.js";
import { ActWorld, exampleText, REPOSITORY, TRACKING_ID, tinyExample, WORKFLOW } from "../support/act-world.js";
import { processesWith } from "../support/cli.js";
import { FALSE_VERDICT } from "../support/false-verdict.js";
import { type GitHubDouble, shaOf } from "../support/github/double.js";
import { commentEvent } from "../support/github/factories.js";
import { waitingApp } from "../support/own-set.js";
import { commit, git, writeFiles } from "../support/repository.js";
import { needing, testTool } from "../support/tools.js";
import { benchOf } from "../support/workflow/world.js";
import { filesShownIn } from "../support/workflows.js";

const TIMEOUT_MS = 240_000;
const act = await testTool(provideAct);

let world: ActWorld;
let github: GitHubDouble;
beforeEach(async () => {
  world = await ActWorld.open(act);
  ({ github } = world);
});
afterEach(() => world[Symbol.asyncDispose]());

/** Its requests wait: that leaves the CPUs to the tests beside it. @param waitMs milliseconds @param burn turns of an empty loop */
function shop(waitMs: number, burn: number): Record<string, string> {
  const main = `import asyncio

from starlette.applications import Starlette
from starlette.responses import PlainTextResponse
from starlette.routing import Route


async def health(request):
    await asyncio.sleep(${waitMs / 1000})
    for _ in range(${burn}):
        pass
    return PlainTextResponse("ok")


app = Starlette(routes=[Route("/health", health)])
`;
  return { "shop/__init__.py": "", "shop/main.py": main };
}

describe.skipIf(act.missing !== undefined)(needing("a shipped workflow", act), () => {
  it("fork-measure.yml, then fork-report.yml on workflow_run: one comment, by the second alone", {
    timeout: TIMEOUT_MS,
    retry: FALSE_VERDICT,
  }, async ({ signal }) => {
    const changed = { "hello/app.py": waitingApp("# Changed") };
    const checkout = world.checkOut(
      { [WORKFLOW]: tinyExample("fork-measure.yml"), ...benchOf(["hello"]) },
      changed,
      true,
      "fork-measure.yml",
    );
    const { repository, pull, run } = checkout;
    const measured = await world.runOn(checkout, signal);
    expect(measured.code, measured.log).toBe(0);
    expect(github.commentsOf(pull.number)).toEqual([]);
    Object.assign(run, { status: "completed", conclusion: "success" });
    git(repository, "checkout", "--quiet", "main");
    commit(repository, { [WORKFLOW]: exampleText("fork-report.yml") });
    const reporting = github.addReportingRun("fork-report.yml");
    const event = { name: "workflow_run", payload: github.workflowRunEvent(run) };
    const { code, log } = await world.runEvent({ repository, run: reporting }, event, signal);
    expect(code, log).toBe(0);
    expect(github.commentsOf(pull.number)).toEqual([
      expect.objectContaining({ body: expect.stringContaining("phase=done") }),
    ]);
  });

  it("bench-command.yml on a comment, then bench-measure.yml with the request that it made: one comment, a rocket", {
    timeout: TIMEOUT_MS,
    retry: FALSE_VERDICT,
  }, async ({ signal }) => {
    const workflows = { [WORKFLOW]: exampleText("bench-command.yml") };
    const { repository, pull } = world.checkOut(
      { ...workflows, ...benchOf(["hello"]) },
      { "hello/app.py": waitingApp("# Changed") },
    );
    git(repository, "checkout", "--quiet", "--detach", pull.headSha);
    const { state } = github;
    state.roles.set("maint", "write");
    state.files.set(".github/workflows/bench-measure.yml", "name: Benchmark on request\n");
    const [createdAt, at] = ["2026-11-20T12:00:00Z", "2026-11-20T11:00:00Z"];
    state.pushes.push({ ref: "refs/heads/feature", before: shaOf("before"), after: pull.headSha, at });
    const asked = github.addComment({ issue: 7, login: "maint", body: "/bench", createdAt, updatedAt: createdAt });
    const running = { status: "in_progress", conclusion: null } as const;
    const commanding = github.addRun({ event: "issue_comment", workflowFile: "bench-command.yml", ...running });
    const event = { name: "issue_comment", payload: commentEvent(pull, asked) };
    const commanded = await world.runEvent({ repository, run: commanding }, event, signal);
    expect(commanded.code, commanded.log).toBe(0);
    expect(state.dispatches, commanded.log).toHaveLength(1);
    expect(state.reactions.map(({ content }) => content)).toEqual(["eyes"]);
    writeFiles(repository, { [WORKFLOW]: tinyExample("bench-measure.yml") });
    const run = github.addRun({ event: "workflow_dispatch", workflowFile: "bench-measure.yml", ...running });
    const inputs = state.dispatches[0]?.inputs;
    const payload = { ref: "refs/heads/main", inputs, repository: REPOSITORY };
    const { code, log } = await world.runEvent({ repository, run }, { name: "workflow_dispatch", payload }, signal);
    expect(code, log).toBe(0);
    const [, comment, ...others] = github.commentsOf(7);
    expect(others).toEqual([]);
    expect(comment?.body).toContain(`<!-- server-bench key=request run=${run.id} attempt=1 phase=done -->\n`);
    expect(comment?.body).toContain(`#issuecomment-${asked.id}`);
    expect(state.reactions.map(({ content }) => content)).toEqual(["eyes", "rocket"]);
    expect(state.archives.map(({ name }) => name)).toEqual(["server-bench-request-results"]);
  });

  it("matrix.yml: planned, measured in shards, merged into one comment", {
    timeout: 2 * TIMEOUT_MS,
    retry: FALSE_VERDICT,
  }, async ({ signal }) => {
    const changed = { "one/app.py": waitingApp("# Changed"), "two/app.py": waitingApp("# Changed") };
    const checkout = world.checkOut({ [WORKFLOW]: tinyExample("matrix.yml"), ...benchOf(["one", "two"]) }, changed);
    const { code, log } = await world.runOn(checkout, signal);
    expect(code, log).toBe(0);
    const [comment, ...others] = github.commentsOf(checkout.pull.number);
    expect(others).toEqual([]);
    expect(comment?.body).toMatch(/^\*\*(?:(?:Of|No change found in) 2 rows:|No row could be decided: 2 )/m);
    const names = github.state.archives.map(({ name }) => name).sort();
    expect(names).toEqual(expect.arrayContaining(["server-bench-plan", "server-bench-results"]));
  });

  it("app.yml: a slower pull request is measured beside its base, and another job reports it in one comment", {
    timeout: TIMEOUT_MS,
    retry: FALSE_VERDICT,
  }, async ({ signal }) => {
    const workflow = exampleText("app.yml");
    const checkout = world.checkOut(
      { [WORKFLOW]: workflow, ...filesShownIn(workflow), ...shop(40, 0) },
      shop(70, 1000),
    );
    const { baseSha, pull, run } = checkout;
    const { code, log } = await world.runOn(checkout, signal);
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
    const [artifact] = github.state.archives;
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
});
