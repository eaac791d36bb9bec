/** Whether the run that a comment's marker names can have written the comment. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ClaimedRuns } from "../../src/github/claimed-runs.js";
import type { OwnComment } from "../../src/github/own-comments.js";
import { quickClient } from "../support/github/client.js";
import { GitHubDouble, type StoredRun } from "../support/github/double.js";

let double: GitHubDouble;
let ours: StoredRun;
const lines: string[] = [];

beforeEach(async () => {
  lines.length = 0;
  double = await GitHubDouble.start();
  ours = double.addRun({ event: "pull_request", headBranch: "feature", attempt: 2 });
});
afterEach(async () => {
  await double[Symbol.asyncDispose]();
});

function commentOf(id: number, attempt = 1): OwnComment {
  const marker = { key: "default", run: { id, attempt }, phase: "done" } as const;
  return { id: 1, url: "https://github.com/acme/server/pull/1#issuecomment-1", body: "", marker };
}

function claims(): ClaimedRuns {
  return new ClaimedRuns(quickClient(double), { id: ours.id, attempt: ours.attempt }, (line) => lines.push(line));
}

/** The run that the comment counts for. */
async function counted(id: number, attempt?: number) {
  const [comment] = await claims().checked([commentOf(id, attempt)]);
  return comment?.marker.run;
}

const NO_RUN = { id: 0, attempt: 0 };

describe("a run that is not later than ours", () => {
  it.each([
    ["earlier", -1, 1],
    ["ours", 0, 2],
    ["our first attempt", 0, 1],
  ])("needs no request: %s", async (_, beside, attempt) => {
    expect(await counted(ours.id + beside, attempt)).toEqual({ id: ours.id + beside, attempt });
    expect(double.apiCalls).toBe(0);
  });
});

describe("a later run", () => {
  it("counts where it is of the same workflow and branch; it is asked for once", async () => {
    const later = double.addRun({ event: "pull_request", headBranch: "feature", attempt: 3 });
    const checks = claims();
    const comments = [commentOf(later.id, 3)];
    expect(await checks.checked(comments)).toEqual(comments);
    expect(await checks.checked(comments)).toEqual(comments);
    expect(double.apiCalls).toBe(2);
    expect(lines).toEqual([]);
  });

  it("counts where the repository's name differs by its case only", async () => {
    const later = double.addRun({ event: "pull_request", headBranch: "feature", headRepository: "ACME/Server" });
    expect(await counted(later.id)).toEqual({ id: later.id, attempt: 1 });
  });

  it("of another event counts whatever its branch is", async () => {
    const later = double.addRun({ event: "push", headBranch: "main" });
    expect(await counted(later.id)).toEqual({ id: later.id, attempt: 1 });
  });

  it.each<[string, Partial<StoredRun>]>([
    ["another workflow's", { workflowFile: "other.yml" }],
    ["another branch's", { headBranch: "other" }],
    ["another repository's", { headRepository: "mallory/server" }],
  ])("does not count where it is %s", async (_, run) => {
    const later = double.addRun({ event: "pull_request", headBranch: "feature", ...run });
    expect(await counted(later.id)).toEqual(NO_RUN);
    expect(lines).toEqual([expect.stringContaining(`names run ${later.id}, attempt 1, which is no later run`)]);
  });

  it("does not count where it does not exist, or has no such attempt", async () => {
    expect(await counted(ours.id + 1)).toEqual(NO_RUN);
    expect(await counted(ours.id, 3)).toEqual(NO_RUN);
    // Found once, not twice: it is our own run.
    expect(double.apiCalls).toBe(3);
  });

  it("counts where GitHub does not answer, and the log says why", async () => {
    double.fail({ path: new RegExp(`/runs/${ours.id + 1}$`), status: 403, body: { message: "No" } });
    expect(await counted(ours.id + 1)).toEqual({ id: ours.id + 1, attempt: 1 });
    expect(lines).toEqual([expect.stringMatching(/^Pull-request comment: not known whether run \d+ exists \(403/)]);
  });

  it("counts where the token cannot see our own run either", async () => {
    double.state.runs.length = 0;
    expect(await counted(ours.id + 1)).toEqual({ id: ours.id + 1, attempt: 1 });
    expect(lines).toEqual([expect.stringContaining("(this run is not shown to the token)")]);
  });
});
