/** A pull request of a fork on a double of GitHub: measured with a token that can only read, reported by the second workflow. */
import { expect, it } from "vitest";
import { worldOfTest } from "../support/action-world.js";
import { scenarios } from "../support/own-set.js";

const world = worldOfTest();

it("is measured without a comment, and reported by the second workflow", async () => {
  const { workspace, run, pull } = world.pullRequest(0, "mallory/server");
  world.github.addToken("read-only", {
    login: "github-actions[bot]",
    kind: "installation",
    permissions: { actions: "read" },
  });
  const action = await world.start(run, { baseline: "none", token: "read-only" }, { cwd: workspace });
  const measured = await action.ended;
  expect(measured.code, measured.stdout).toBe(0);
  expect(measured.stdout).toContain("no comment: ");
  expect(measured.stdout).toContain("examples/fork-report.yml");
  expect(action.summary).toContain("| hello (c16)");
  expect(world.comments()).toEqual([]);
  Object.assign(run, { status: "completed", conclusion: "success" });
  const other = world.github.addPull({
    number: 8,
    headSha: pull.headSha,
    headRef: "other",
    headRepository: "mallory/server",
  });
  // The name of a row is shown where the default branch has it too.
  for (const [path, text] of Object.entries(scenarios("hello"))) world.github.state.files.set(path, text);
  const reporting = world.github.addReportingRun("report.yml");
  const event = { name: "workflow_run", payload: world.github.workflowRunEvent(run) };
  const report = await world.start(reporting, { command: "report" }, { event });
  const { code, stdout } = await report.ended;
  expect(code, stdout).toBe(0);
  expect(world.comments()).toEqual([expect.stringContaining(`run=${run.id} attempt=1 phase=done`)]);
  expect(world.comments()[0]).toContain("| mine/hello (c16)");
  expect(world.github.commentsOf(other.number)).toEqual([]);
  expect(report.outputs["comment-url"]).toContain("#issuecomment-");
});
