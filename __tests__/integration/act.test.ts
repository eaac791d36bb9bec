/** A workflow to paste, run by act from the event to what it keeps, where nothing is measured in pairs. */
import { describe, expect, it } from "vitest";
import { exampleText, provideAct, runOnPull } from "../support/act.js";
import { GitHubDouble } from "../support/github/double.js";
import { needing, testTool } from "../support/tools.js";

const act = await testTool(provideAct);

describe.skipIf(act.missing !== undefined)(needing("a shipped workflow", act), () => {
  it("server-repository.yml: a checkout that is no package of the server fails in words", {
    timeout: 240_000,
  }, async ({ signal }) => {
    await using github = await GitHubDouble.start();
    const files = { workflow: exampleText("server-repository.yml"), base: {}, head: { "README.md": "Changed" } };
    const { code, log } = await runOnPull(act, github, files, signal);
    expect(code, log).toBe(1);
    expect(log).toContain("::error::nothing could be measured");
    expect(github.commentsOf(7)[0]?.body).toContain("phase=done");
    expect(github.state.archives).toHaveLength(1);
  });
});
