/** Which commit a request means, who may ask, and the runs that a request starts and cancels. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { headAt, headOfEvent, readPull, typedCommit } from "../../src/github/asked-commit.js";
import { canWrite } from "../../src/github/permission.js";
import { cancelRequestedRuns, startRequestedRun } from "../../src/github/requested-runs.js";
import { quickClient } from "../support/github/client.js";
import { GitHubDouble, shaOf } from "../support/github/double.js";
import { userOf } from "../support/github/factories.js";

const HEAD = shaOf("head");
const OLDER = shaOf("older");
const REF = "refs/heads/feature";
const ASKED = new Date("2026-01-01T12:00:00.700Z");

let double: GitHubDouble;
beforeEach(async () => {
  double = await GitHubDouble.start();
});
afterEach(async () => {
  await double[Symbol.asyncDispose]();
});

function addPull(more: object = {}) {
  return double.addPull({ number: 7, headSha: HEAD, ...more });
}

async function pull() {
  return await readPull(quickClient(double), 7);
}

/** @param at time of day */
function push(before: string, after: string, at: string, ref = REF): void {
  double.state.pushes.push({ ref, before, after, at: `2026-01-01T${at}Z` });
}

describe("the pull request that is asked for", () => {
  it("is read with its head and base", async () => {
    const { headRepository } = addPull();
    expect(await pull()).toEqual({
      ...{ number: 7, open: true, locked: false, fork: false, headRepository },
      ...{ headSha: HEAD, headRef: "feature", baseRef: "main", baseSha: shaOf("base") },
    });
  });

  it("is a fork's where its head lies elsewhere, or nowhere any more", async () => {
    const stored = addPull({ headRepository: "mallory/server", state: "closed", locked: true });
    expect(await pull()).toMatchObject({ fork: true, open: false, locked: true });
    Object.assign(stored, { headRepository: undefined });
    expect(await pull()).toMatchObject({ fork: true, headRepository: undefined });
  });
});

describe("a typed commit", () => {
  beforeEach(() => {
    addPull();
    double.addCommit(HEAD);
  });

  it("is the head with all its digits, without a request", async () => {
    const asked = await pull();
    const before = double.requests.length;
    expect(await typedCommit(quickClient(double), asked, HEAD)).toBe(HEAD);
    expect(double.requests).toHaveLength(before);
  });

  it("is the head with its first digits, where GitHub finds one commit", async () => {
    expect(await typedCommit(quickClient(double), await pull(), HEAD.slice(0, 9))).toBe(HEAD);
  });

  it("is refused where it is another commit, or where GitHub finds none", async () => {
    const asked = await pull();
    await expect(typedCommit(quickClient(double), asked, OLDER)).rejects.toThrow(
      `${OLDER} is not the head of this pull request, which is ${HEAD.slice(0, 12)} now`,
    );
    double.state.commits.clear();
    await expect(typedCommit(quickClient(double), asked, HEAD.slice(0, 9))).rejects.toThrow(
      `${HEAD.slice(0, 9)} does not name one commit: give all 40 digits`,
    );
  });
});

describe("the head at the time of a comment", () => {
  const at = async () => await headAt(quickClient(double), await pull(), ASKED);

  beforeEach(() => {
    addPull();
  });

  it("is the head where the last push came before it", async () => {
    push(OLDER, HEAD, "11:59:59");
    expect(await at()).toBe(HEAD);
  });

  it("is unknown where a push came in the same second, or later", async () => {
    const message = `the head moved from ${OLDER.slice(0, 12)} to ${HEAD.slice(0, 12)}; repeat the command`;
    push(OLDER, HEAD, "12:00:00");
    await expect(at()).rejects.toThrow(message);
    double.state.pushes.length = 0;
    push(OLDER, HEAD, "12:00:05");
    await expect(at()).rejects.toThrow(message);
  });

  it("is named by the first of several pushes, also where the last one restored it", async () => {
    const between = shaOf("between");
    push(OLDER, shaOf("first"), "11:00:00");
    push(HEAD, between, "12:00:01");
    push(between, HEAD, "12:00:02");
    await expect(at()).rejects.toThrow(`moved from ${HEAD.slice(0, 12)} to ${between.slice(0, 12)}`);
  });

  it("is unknown where GitHub's list does not have it, or has it for another branch", async () => {
    const message = "GitHub does not list when the head was pushed: repeat the command with its commit";
    await expect(at()).rejects.toThrow(message);
    push(OLDER, HEAD, "11:00:00", "refs/heads/other");
    await expect(at()).rejects.toThrow(message);
    push(shaOf("oldest"), OLDER, "11:00:00");
    await expect(at()).rejects.toThrow(message);
  });

  it("is that of a label's event, unless it has moved", async () => {
    const asked = await pull();
    expect(headOfEvent(asked, HEAD)).toBe(HEAD);
    expect(() => headOfEvent(asked, OLDER)).toThrow(
      `the head moved from ${OLDER.slice(0, 12)} to ${HEAD.slice(0, 12)}; remove the label and set it again`,
    );
  });
});

describe("who asks", () => {
  const may = (login: string, id = userOf(login).id) => canWrite(quickClient(double), { login, id });

  it.each([
    ["admin", true],
    ["maintain", true],
    ["write", true],
    ["triage", false],
    ["read", false],
    ["none", false],
  ])("has the role %s: %s", async (role, expected) => {
    double.state.roles.set("hubot", role);
    expect(await may("hubot")).toBe(expected);
  });

  it("is not somebody else who has the login now", async () => {
    double.state.roles.set("hubot", "admin");
    expect(await may("hubot", 1)).toBe(false);
  });
});

describe("runs of a request", () => {
  it("are started on the branch that has the workflow", async () => {
    double.state.files.set(".github/workflows/measure.yml", "name: Measure\n");
    await startRequestedRun(quickClient(double), { file: "measure.yml", branch: "main" }, "{}");
    expect(double.state.dispatches).toEqual([{ file: "measure.yml", ref: "main", inputs: { request: "{}" } }]);
    await expect(startRequestedRun(quickClient(double), { file: "no.yml", branch: "main" }, "{}")).rejects.toThrow(
      "main has no workflow no.yml: give its name in the input workflow",
    );
  });

  it("are cancelled where they have its name and have not ended", async () => {
    const run = { workflowFile: "measure.yml", event: "workflow_dispatch", conclusion: null, displayTitle: "asked" };
    const wanted = double.addRun({ ...run, status: "in_progress" });
    const others = [
      double.addRun({ ...run, status: "in_progress", displayTitle: "another" }),
      double.addRun({ ...run, status: "in_progress", event: "push" }),
    ];
    double.addRun({ ...run, status: "completed", conclusion: "success" });
    expect(await cancelRequestedRuns(quickClient(double), "measure.yml", "asked")).toBe(1);
    expect(wanted).toMatchObject({ status: "completed", conclusion: "cancelled" });
    for (const other of others) expect(other.status).toBe("in_progress");
  });
});
