/** A workflow to paste, from the event to the comment: act runs it as it is, on a checkout as GitHub makes it. */
import { describe, expect, it } from "vitest";
import { exampleText, provideAct, runOnPull, TRACKING_ID } from "../support/act.js";
import { processesWith } from "../support/cli.js";
import { FALSE_VERDICT } from "../support/false-verdict.js";
import { GitHubDouble } from "../support/github/double.js";
import { needing, testTool } from "../support/tools.js";
import { filesShownIn } from "../support/workflows.js";

const TIMEOUT_MS = 240_000;
const act = await testTool(provideAct);

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

/** What people type from memory: nothing is pinned, named or bounded, and the checkout keeps its token. */
const SHORTEST = `on: pull_request
permissions: { contents: read, pull-requests: write }
jobs:
  benchmark:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v7
      - uses: org/server-bench@v1
`;

describe.skipIf(act.missing !== undefined)(needing("a shipped workflow", act), () => {
  it("eight lines without an input: a slower pull request is measured beside its base, in one job with one comment", {
    timeout: TIMEOUT_MS,
    retry: FALSE_VERDICT,
  }, async ({ signal }) => {
    await using github = await GitHubDouble.start();
    const shown = filesShownIn(exampleText("app.yml"));
    const files = { workflow: SHORTEST, base: { ...shown, ...shop(40, 0) }, head: shop(70, 1000) };
    const { code, log, pull, baseSha } = await runOnPull(act, github, files, signal);
    expect(code, log).toBe(0);
    const [comment, ...others] = github.commentsOf(pull.number);
    expect(others).toEqual([]);
    expect(comment?.body).toMatch(/\*\*1 of 1 benchmark (?:is slower|needs more CPU per request), by /);
    expect(comment?.body).toContain(`/commit/${baseSha}`);
    expect(log).toMatch(/::set-output:: verdict=worse$/m);
  });

  it("app.yml: a slower pull request is measured beside its base, and another job reports it in one comment", {
    timeout: TIMEOUT_MS,
    retry: FALSE_VERDICT,
  }, async ({ signal }) => {
    await using github = await GitHubDouble.start();
    const workflow = exampleText("app.yml");
    const files = { workflow, base: { ...filesShownIn(workflow), ...shop(40, 0) }, head: shop(70, 1000) };
    const { code, log, pull, run, baseSha } = await runOnPull(act, github, files, signal);
    expect(code, log).toBe(0);
    const [comment, ...others] = github.commentsOf(pull.number);
    expect(others).toEqual([]);
    const text = comment?.body ?? log;
    expect(text).toContain(`<!-- server-bench key=default run=${run.id} attempt=1 phase=done -->\n`);
    expect(text).toMatch(/\*\*1 of 1 benchmark (?:is slower|needs more CPU per request), by /);
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
    expect(log).toMatch(/Compared with base: 1 of 1 benchmark (?:is slower|needs more CPU per request), by /);
    expect(log).toContain("Uvicorn version: ");
    expect(log).toMatch(/::set-output:: verdict=worse$/m);
    expect(log).toMatch(/::set-output:: worse=1$/m);
    expect(processesWith(TRACKING_ID)).toEqual([]);
  });
});
