/** Workflows to paste, run by act from the event to what they keep, where nothing is measured in pairs. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { provideAct } from "../support/act.js";
import { ActWorld, exampleText, REPOSITORY, WORKFLOW } from "../support/act-world.js";
import type { GitHubDouble } from "../support/github/double.js";
import { needing, testTool } from "../support/tools.js";
import { ANCHORED } from "../support/workflow/world.js";

const TIMEOUT_MS = 240_000;
const act = await testTool(provideAct);

let world: ActWorld;
let github: GitHubDouble;
beforeEach(async () => {
  world = await ActWorld.open(act);
  ({ github } = world);
});
afterEach(() => world[Symbol.asyncDispose]());

describe.skipIf(act.missing !== undefined)(needing("a shipped workflow", act), () => {
  it("server-repository.yml: the first push to main is measured and stored", { timeout: TIMEOUT_MS }, async ({
    signal,
  }) => {
    const checkout = world.onMain("server-repository.yml", "push", ["hello"]);
    const payload = { ref: "refs/heads/main", after: checkout.run.headSha, repository: REPOSITORY };
    const { code, log } = await world.runEvent(checkout, { name: "push", payload }, signal);
    expect(code, log).toBe(0);
    expect(github.state.archives.map(({ name }) => name)).toEqual(["server-bench-results"]);
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
      const { code, log } = await world.runEvent(
        world.onMain("nightly.yml", name, [ANCHORED]),
        { name, payload },
        signal,
      );
      expect(code, log).toBe(0);
      expect(github.state.archives.map((artifact) => artifact.name)).toEqual(["server-bench-results"]);
    },
  );

  it("server-repository.yml: a checkout that is no package of the server fails in words", {
    timeout: TIMEOUT_MS,
  }, async ({ signal }) => {
    const checkout = world.checkOut({ [WORKFLOW]: exampleText("server-repository.yml") }, { "README.md": "Changed" });
    const { code, log } = await world.runOn(checkout, signal);
    expect(code, log).toBe(1);
    expect(log).toContain("::error::nothing could be measured");
    expect(github.commentsOf(checkout.pull.number)[0]?.body).toContain("phase=done");
    expect(github.state.archives).toHaveLength(1);
  });

  it("server-repository.yml: the code of a fork does not reach a runner of one's own", {
    timeout: TIMEOUT_MS,
  }, async ({ signal }) => {
    const checkout = world.checkOut(
      { [WORKFLOW]: exampleText("server-repository.yml") },
      { "README.md": "Changed" },
      true,
    );
    const { code, log } = await world.runOn(checkout, signal);
    expect(code, log).toBe(0);
    expect(log).not.toContain("Run Main");
    expect(github.requests).toEqual([]);
  });
});
