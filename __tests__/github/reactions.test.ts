/** What the person who asked sees at once: a reaction and a reply. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { react, reply } from "../../src/github/reactions.js";
import { quickClient } from "../support/github/client.js";
import { GitHubDouble } from "../support/github/double.js";

let double: GitHubDouble;
let comment: number;
const lines: string[] = [];
const log = (line: string) => lines.push(line);

beforeEach(async () => {
  lines.length = 0;
  double = await GitHubDouble.start();
  double.addPull({ number: 7 });
  comment = double.addComment({ issue: 7, body: "/bench" }).id;
});
afterEach(async () => {
  await double[Symbol.asyncDispose]();
});

it("reacts to the comment that asked, with one request", async () => {
  await react(quickClient(double), { pullRequest: 7, comment }, "eyes", log);
  expect(double.state.reactions).toMatchObject([{ issue: 7, comment, content: "eyes" }]);
  expect(double.apiCalls).toBe(1);
  expect(lines).toEqual([]);
});

it("reacts to the pull request where no comment asked", async () => {
  await react(quickClient(double), { pullRequest: 7, comment: null }, "rocket", log);
  expect(double.state.reactions).toMatchObject([{ issue: 7, comment: null, content: "rocket" }]);
});

it("replies in the pull request", async () => {
  await reply(quickClient(double), { pullRequest: 7, comment }, "Measured.", log);
  expect(double.commentsOf(7).map(({ body }) => body)).toEqual(["/bench", "Measured."]);
  expect(lines).toEqual([]);
});

it("says in the log what was not written, and goes on", async () => {
  Object.assign(double.state.pulls[0] ?? {}, { locked: true });
  await react(quickClient(double), { pullRequest: 7, comment }, "confused", log);
  await reply(quickClient(double), { pullRequest: 7, comment }, "Measured.", log);
  expect(lines).toEqual([
    expect.stringMatching(/^the reaction confused was not written: 403: the conversation is locked/),
    expect.stringMatching(/^the reply was not written: 403: the conversation is locked/),
  ]);
  expect(double.state.reactions).toEqual([]);
});

it("hides no defect of its own", async () => {
  const defect = new RangeError("not a failed request");
  const broken = { ...quickClient(double), octokit: new Proxy({}, { get: () => throwing(defect) }) } as never;
  await expect(react(broken, { pullRequest: 7, comment }, "eyes", log)).rejects.toThrow(defect);
});

function throwing(error: Error): never {
  throw error;
}
