import { describe, expect, it } from "vitest";
import { type Fault, GitHubDouble } from "../support/github/double.js";
import { asked, bodies, bodyOf, knownRun, LOGIN, leftBy, PULL, type WriterOptions, writer } from "../support/sticky.js";

const LIST = { method: "GET", path: /\/issues\/\d+\/comments$/ };
const GET = { method: "GET", path: /\/issues\/comments\/\d+$/ };
const POST = { method: "POST", path: /\/issues\/\d+\/comments$/ };
const PATCH = { method: "PATCH", path: /\/issues\/comments\/\d+$/ };
const DELETE = { method: "DELETE", path: /\/issues\/comments\/\d+$/ };
const USER = { method: "GET", path: /\/user$/ };
/** Short, for requests that are never answered. */
const IMPATIENT: WriterOptions = { timeoutMs: 150 };

async function withFaults(...faults: readonly Fault[]): Promise<GitHubDouble> {
  const double = await GitHubDouble.start();
  double.addPull({ number: PULL });
  for (const fault of faults) double.fail(fault);
  return double;
}

function count(double: GitHubDouble, request: string): number {
  return asked(double).filter((one) => one === request).length;
}

describe("a POST whose answer was lost", () => {
  it.each([
    { what: "502", fault: { status: 502 } },
    { what: "no answer", fault: { timeout: true } },
    { what: "a cut connection", fault: { reset: true } },
  ])("adopts what it made: $what", async ({ fault }) => {
    await using double = await withFaults({ ...POST, ...fault, dropAfterApplying: true });
    const run = writer(double, 7, IMPATIENT);
    expect(await run.write("text", "measuring")).toMatchObject({ state: "written", created: true });
    expect(bodies(double)).toEqual([bodyOf(7, "text", { phase: "measuring" })]);
    expect(count(double, "POST comments")).toBe(1);
    expect(await run.write("the end", "done")).toMatchObject({ state: "written", created: false });
    expect(bodies(double)).toEqual([bodyOf(7, "the end")]);
  });

  it.each([
    { what: "502", fault: { status: 502 } },
    { what: "no answer", fault: { timeout: true } },
    { what: "a cut connection", fault: { reset: true } },
  ])("tries again when it made nothing: $what", async ({ fault }) => {
    await using double = await withFaults({ ...POST, ...fault, times: 2 });
    const run = writer(double, 7, IMPATIENT);
    expect(await run.write("text", "done")).toMatchObject({ state: "written", created: true });
    expect(bodies(double)).toEqual([bodyOf(7, "text")]);
    expect(count(double, "POST comments")).toBe(3);
    expect(run.lines.join("\n")).toMatch(/Pull-request comment: (?:answer 502|no answer); looking again/);
  });

  it("gives up after three, having looked before each and after the last", async () => {
    await using double = await withFaults({ ...POST, status: 500, times: Number.POSITIVE_INFINITY });
    expect(await writer(double, 7).write("text", "done")).toMatchObject({
      state: "refused",
      failure: { kind: "server", status: 500 },
    });
    expect(asked(double).slice(1)).toEqual([
      "GET comments",
      "POST comments",
      "GET comments",
      "POST comments",
      "GET comments",
      "POST comments",
      "GET comments",
    ]);
  });

  it("adopts what the third made", async () => {
    await using double = await withFaults({ ...POST, status: 502, times: 2 }, { ...POST, dropAfterApplying: true });
    expect(await writer(double, 7).write("text", "done")).toMatchObject({ state: "written", created: true });
    expect(bodies(double)).toEqual([bodyOf(7, "text")]);
    expect(count(double, "POST comments")).toBe(3);
  });

  it("puts its text into another job's comment, and removes the one it lost", async () => {
    await using double = await withFaults({ ...POST, dropAfterApplying: true });
    const first: number[] = [];
    double.before(POST, () => void first.push(leftBy(double, 6, "meanwhile").id));
    expect(await writer(double, 7).write("text", "done")).toMatchObject({ state: "written", created: false });
    expect(double.commentsOf(PULL)).toMatchObject([{ id: first[0], body: bodyOf(7, "text") }]);
  });
});

describe("a PATCH whose answer was lost", () => {
  it.each([
    { what: "502", fault: { status: 502 } },
    { what: "no answer", fault: { timeout: true } },
  ])("is not sent again when it arrived: $what", async ({ fault }) => {
    await using double = await withFaults({ ...PATCH, ...fault, dropAfterApplying: true });
    leftBy(double, 6, "old");
    expect(await writer(double, 7, IMPATIENT).write("text", "done")).toMatchObject({
      state: "written",
      created: false,
    });
    expect(bodies(double)).toEqual([bodyOf(7, "text")]);
    expect(count(double, "PATCH comment")).toBe(1);
  });

  it("is sent again after a look when it did not", async () => {
    await using double = await withFaults({ ...PATCH, status: 503, times: 2 });
    leftBy(double, 6, "old");
    expect(await writer(double, 7).write("text", "measuring")).toMatchObject({ state: "written" });
    expect(bodies(double)).toEqual([bodyOf(7, "text", { phase: "measuring" })]);
    expect(asked(double).slice(1)).toEqual([
      "GET comments",
      "PATCH comment",
      "GET comment",
      "PATCH comment",
      "GET comment",
      "PATCH comment",
    ]);
  });

  it("is not sent again when a later run has written meanwhile", async () => {
    await using double = await withFaults({ ...PATCH, status: 503 });
    const comment = leftBy(double, 6, "old");
    double.before(PATCH, () => {
      knownRun(double, 8);
      comment.body = bodyOf(8, "newer");
    });
    expect(await writer(double, 7).write("older", "done")).toMatchObject({ state: "newer" });
    expect(bodies(double)).toEqual([bodyOf(8, "newer")]);
    expect(count(double, "PATCH comment")).toBe(1);
  });

  it("is followed by the removal of what earlier runs left", async () => {
    await using double = await withFaults({ ...PATCH, status: 503 });
    leftBy(double, 4, "four");
    leftBy(double, 5, "five");
    expect(await writer(double, 7).write("text", "done")).toMatchObject({ state: "written" });
    expect(bodies(double)).toEqual([bodyOf(7, "text")]);
  });

  it("is given up after three", async () => {
    await using double = await withFaults({ ...PATCH, status: 503, times: Number.POSITIVE_INFINITY });
    leftBy(double, 6, "old");
    expect(await writer(double, 7).write("text", "done")).toMatchObject({
      state: "refused",
      failure: { kind: "server", status: 503 },
    });
    expect(count(double, "PATCH comment")).toBe(3);
    expect(bodies(double)).toEqual([bodyOf(6, "old")]);
  });
});

describe("looks that fail", () => {
  it.each([
    { what: "5xx", fault: { status: 502, times: 3 } },
    { what: "no answer", fault: { timeout: true } },
    { what: "a cut connection", fault: { reset: true, times: 2 } },
  ])("are repeated by the client: $what", async ({ fault }) => {
    await using double = await withFaults({ ...LIST, ...fault });
    expect(await writer(double, 7, IMPATIENT).write("text", "done")).toMatchObject({ state: "written", created: true });
    expect(bodies(double)).toEqual([bodyOf(7, "text")]);
  });

  it.each([
    { what: "the user", match: USER },
    { what: "the list", match: LIST },
  ])("end in a refusal without a write: $what", async ({ match }) => {
    await using double = await withFaults({ ...match, status: 500, times: Number.POSITIVE_INFINITY });
    expect(await writer(double, 7).write("text", "done")).toMatchObject({
      state: "refused",
      failure: { kind: "server", status: 500 },
    });
    expect(count(double, "POST comments")).toBe(0);
  });

  it("end in a refusal when GitHub is silent", async () => {
    await using double = await withFaults({ ...LIST, timeout: true, times: Number.POSITIVE_INFINITY });
    expect(await writer(double, 7, { timeoutMs: 50 }).write("text", "done")).toMatchObject({
      state: "refused",
      failure: { kind: "unreachable" },
    });
  });

  it("do not undo a comment that was made: the list after it", async () => {
    await using double = await withFaults();
    double.after(POST, () => double.fail({ ...LIST, status: 500, times: Number.POSITIVE_INFINITY }));
    const run = writer(double, 7);
    expect(await run.write("text", "done")).toMatchObject({ state: "written", created: true });
    expect(run.lines.join("\n")).toContain("not known whether there is a second one");
  });

  it("do not undo a comment that was updated: the look after it", async () => {
    await using double = await withFaults({ ...GET, status: 500, times: Number.POSITIVE_INFINITY });
    leftBy(double, 6, "old");
    const run = writer(double, 7);
    expect(await run.write("text", "done")).toMatchObject({ state: "written", created: false });
    expect(run.lines.join("\n")).toContain("not known whether it still has this run's text");
  });

  it("leave a second comment where it cannot be removed, and say so", async () => {
    await using double = await withFaults({ ...DELETE, status: 500, times: Number.POSITIVE_INFINITY });
    leftBy(double, 4, "four");
    leftBy(double, 5, "five");
    const run = writer(double, 7);
    expect(await run.write("text", "done")).toMatchObject({ state: "written" });
    expect(bodies(double)).toEqual([bodyOf(7, "text"), bodyOf(5, "five")]);
    expect(run.lines.join("\n")).toMatch(/a second one stays at http.*: 500/);
  });
});

describe("a list that lags behind", () => {
  it("does not hide the comment just made from its own writer", async () => {
    await using double = await withFaults({ ...LIST, status: 200, body: [] });
    const first = leftBy(double, 6, "made a moment before");
    const listed = { id: first.id, html_url: "http://double/first", body: first.body, user: { login: LOGIN } };
    double.fail({ ...LIST, status: 200, body: [listed] });
    expect(await writer(double, 7).write("text", "done")).toMatchObject({ state: "written", created: false });
    expect(double.commentsOf(PULL)).toMatchObject([{ id: first.id, body: bodyOf(7, "text") }]);
  });

  it("is believed when it is empty, for the next run finds the second comment", async () => {
    await using double = await withFaults({ ...LIST, status: 200, body: [] }, { ...LIST, status: 200, body: [] });
    leftBy(double, 6, "made a moment before");
    expect(await writer(double, 7).write("seven", "done")).toMatchObject({ state: "written", created: true });
    expect(double.commentsOf(PULL)).toHaveLength(2);
    await writer(double, 8).write("eight", "done");
    expect(bodies(double)).toEqual([bodyOf(8, "eight")]);
  });
});

describe("rate limits", () => {
  const secondary = { message: "You have exceeded a secondary rate limit. Please wait a few minutes." };
  const LIMITS = [
    { what: "403 with retry-after", limit: { status: 403, headers: { "retry-after": "2" }, body: secondary } },
    { what: "429 with retry-after", limit: { status: 429, headers: { "retry-after": "2" }, body: secondary } },
  ] as const;

  it.each(LIMITS)("are waited out: $what", async ({ limit }) => {
    await using double = await withFaults(
      { ...USER, ...limit },
      { ...LIST, ...limit },
      { ...POST, ...limit, times: 2 },
      { ...PATCH, ...limit, times: 2 },
    );
    const run = writer(double, 7);
    expect(await run.write("text", "measuring")).toMatchObject({ state: "written", created: true });
    expect(await run.write("the end", "done")).toMatchObject({ state: "written", created: false });
    expect(bodies(double)).toEqual([bodyOf(7, "the end")]);
  });

  it.each(
    LIMITS.flatMap(({ what, limit }) =>
      [USER, LIST, POST].map((match) => ({ what: `${what} on ${match.method} ${match.path.source}`, match, limit })),
    ),
  )("refuse when they do not end: $what", async ({ match, limit }) => {
    await using double = await withFaults({ ...match, ...limit, times: Number.POSITIVE_INFINITY });
    const run = writer(double, 7);
    expect(await run.write("text", "done")).toMatchObject({
      state: "refused",
      failure: { kind: "rate-limited", status: limit.status },
    });
    expect(bodies(double)).toEqual([]);
    expect(run.calls).toBeLessThan(10);
  });

  it.each(LIMITS)("refuse an update when they do not end: $what", async ({ limit }) => {
    await using double = await withFaults({ ...PATCH, ...limit, times: Number.POSITIVE_INFINITY });
    leftBy(double, 6, "old");
    expect(await writer(double, 7).write("text", "done")).toMatchObject({
      state: "refused",
      failure: { kind: "rate-limited" },
    });
    expect(bodies(double)).toEqual([bodyOf(6, "old")]);
  });

  it("make an update look again after the wait, for a later run may have written in it", async () => {
    await using double = await withFaults({ ...PATCH, ...LIMITS[0].limit });
    const comment = leftBy(double, 6, "old");
    double.after(PATCH, () => {
      knownRun(double, 8);
      comment.body = bodyOf(8, "newer");
    });
    const run = writer(double, 7, { retryBaseMs: 100, timing: { updateLimitMs: 100 } });
    expect(await run.write("older", "done")).toMatchObject({ state: "newer" });
    expect(bodies(double)).toEqual([bodyOf(8, "newer")]);
    expect(count(double, "PATCH comment")).toBe(1);
  });

  it("are not waited out for an hour", async () => {
    const reset = String(Math.ceil(Date.now() / 1000) + 3600);
    const headers = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": reset };
    await using double = await withFaults({
      ...LIST,
      status: 403,
      headers,
      body: { message: "API rate limit exceeded" },
    });
    expect(await writer(double, 7).write("text", "done")).toMatchObject({
      state: "refused",
      failure: { kind: "rate-limited" },
    });
  });

  it("of the question who the token is are not taken for GITHUB_TOKEN's answer", async () => {
    const headers = { "retry-after": "3600" };
    await using double = await withFaults({ ...USER, status: 403, headers, body: secondary });
    expect(await writer(double, 7).write("text", "done")).toMatchObject({
      state: "refused",
      failure: { kind: "rate-limited" },
    });
    expect(bodies(double)).toEqual([]);
  });
});

describe("answers of another form", () => {
  it.each([
    { what: "a list that is an object", match: LIST, body: [{ id: "1" }] },
    { what: "a user without a login", match: USER, body: { id: 1 } },
  ])("are refused without a write: $what", async ({ match, body }) => {
    await using double = await withFaults({ ...match, status: 200, body });
    expect(await writer(double, 7).write("text", "done")).toMatchObject({
      state: "refused",
      failure: { kind: "server", message: expect.stringContaining("GitHub's answer cannot be read (") },
    });
    expect(bodies(double)).toEqual([]);
  });

  it("to a POST are looked up in the list", async () => {
    await using double = await withFaults({ ...POST, dropAfterApplying: true, status: 201, body: { id: null } });
    expect(await writer(double, 7).write("text", "done")).toMatchObject({ state: "written", created: true });
    expect(bodies(double)).toEqual([bodyOf(7, "text")]);
  });
});
