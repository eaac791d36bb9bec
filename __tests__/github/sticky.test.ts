import { describe, expect, it } from "vitest";
import { InputError } from "../../src/errors.js";
import { GitHubDouble } from "../support/github/double.js";
import { asked, bodies, bodyOf, knownRun, LOGIN, leftBy, PULL, removeComment, writer } from "../support/sticky.js";

const USER = "GET /user";
const EVERYTHING = { issues: "write", pullRequests: "write", actions: "write", contents: "write" } as const;

async function withPull(options: Parameters<typeof GitHubDouble.start>[0] = {}): Promise<GitHubDouble> {
  const double = await GitHubDouble.start(options);
  double.addPull({ number: PULL });
  return double;
}

describe("writing", () => {
  it("makes one comment, then updates it in place, with few requests", async () => {
    await using double = await withPull();
    const run = writer(double, 7);
    const first = await run.write("0 of 3 rows", "measuring");
    const [comment] = double.commentsOf(PULL);
    expect(first).toEqual({ state: "written", created: true, url: expect.stringContaining(`${comment?.id}`) });
    expect(comment).toMatchObject({ login: LOGIN, body: bodyOf(7, "0 of 3 rows", { phase: "measuring" }) });
    expect(asked(double)).toEqual([USER, "GET comments", "POST comments", "GET comments"]);

    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await run.write("1 of 3 rows", "measuring")).toMatchObject({ state: "written", created: false });
    expect(await run.write("nothing changed", "done")).toMatchObject({ state: "written", created: false });
    expect(asked(double).slice(4)).toEqual(["GET comment", "PATCH comment", "GET comment", "PATCH comment"]);
    expect(bodies(double)).toEqual([bodyOf(7, "nothing changed")]);
    expect(run.calls).toBe(8);
  });

  it("updates the comment of an earlier run, and looks whether its final text stayed", async () => {
    await using double = await withPull();
    leftBy(double, 6, "old");
    expect(await writer(double, 7).write("new", "done")).toMatchObject({ state: "written", created: false });
    expect(bodies(double)).toEqual([bodyOf(7, "new")]);
    expect(asked(double)).toEqual([USER, "GET comments", "PATCH comment", "GET comment"]);
  });

  it("takes turns when the next text comes before the last has arrived", async () => {
    await using double = await withPull();
    const run = writer(double, 7);
    const states = await Promise.all([
      run.write("0 of 2", "measuring"),
      run.write("1 of 2", "measuring"),
      run.write("the end", "done"),
    ]);
    expect(states.map(({ state }) => state)).toEqual(["written", "written", "written"]);
    expect(bodies(double)).toEqual([bodyOf(7, "the end")]);
  });

  it("keeps a comment for each key, and knows none of another pull request", async () => {
    await using double = await withPull();
    double.addPull({ number: 2 });
    await writer(double, 7).write("one", "done");
    await writer(double, 8, { key: "http2" }).write("two", "done");
    await writer(double, 9, { pullRequest: 2 }).write("three", "done");
    await writer(double, 10).write("four", "done");
    expect(bodies(double)).toEqual([bodyOf(10, "four"), bodyOf(8, "two", { key: "http2" })]);
    expect(bodies(double, 2)).toEqual([bodyOf(9, "three")]);
  });

  it("refuses a wrong key before anything is asked", async () => {
    await using double = await withPull();
    expect(() => writer(double, 7, { key: "no spaces" })).toThrow(InputError);
    expect(double.requests).toEqual([]);
  });

  it("writes into a pull request that was closed meanwhile", async () => {
    await using double = await GitHubDouble.start();
    double.addPull({ number: PULL, state: "closed" });
    expect(await writer(double, 7).write("late", "done")).toMatchObject({ state: "written", created: true });
  });

  it("finds its comment on the third page, and makes no second one", async () => {
    await using double = await withPull();
    for (let i = 0; i < 250; i++) {
      if (i === 230) leftBy(double, 6, "old");
      else double.addComment({ issue: PULL, body: `comment ${i}` });
    }
    expect(await writer(double, 7).write("new", "measuring")).toMatchObject({ state: "written", created: false });
    expect(double.commentsOf(PULL)).toHaveLength(250);
    expect(double.commentsOf(PULL)[230]?.body).toBe(bodyOf(7, "new", { phase: "measuring" }));
    expect(asked(double)).toEqual([USER, "GET comments", "GET comments", "GET comments", "PATCH comment"]);
    expect(double.requests[1]?.query).toMatchObject({ per_page: "100" });
  });

  it("makes one after 250 of other people", async () => {
    await using double = await withPull();
    for (let i = 0; i < 250; i++) double.addComment({ issue: PULL, body: `comment ${i}` });
    expect(await writer(double, 7).write("new", "done")).toMatchObject({ state: "written", created: true });
    expect(bodies(double).slice(249)).toEqual(["comment 249", bodyOf(7, "new")]);
  });
});

describe("whose comment", () => {
  it("leaves a user's comment with the marker alone", async () => {
    await using double = await withPull();
    for (const login of ["octocat", "github-actions", "github-actions[bot]x"]) leftBy(double, 999, "mine", login);
    expect(await writer(double, 7).write("ours", "done")).toMatchObject({ state: "written", created: true });
    expect(bodies(double)).toEqual([...Array<string>(3).fill(bodyOf(999, "mine")), bodyOf(7, "ours")]);
  });

  it("leaves comments of the same account without the marker in the first line alone", async () => {
    await using double = await withPull();
    const others = [
      `Another workflow's\n${bodyOf(6, "text")}`,
      ` ${bodyOf(6, "text")}`,
      bodyOf(6, "text", { key: "other" }),
      "coverage: 100%",
    ];
    for (const body of others) double.addComment({ issue: PULL, login: LOGIN, body });
    expect(await writer(double, 7).write("ours", "done")).toMatchObject({ state: "written", created: true });
    expect(bodies(double)).toEqual([...others, bodyOf(7, "ours")]);
  });

  it("asks a personal token for its user", async () => {
    await using double = await withPull({ account: { login: "Maintainer", kind: "user" } });
    leftBy(double, 6, "the bot's");
    leftBy(double, 6, "the maintainer's", "maintainer");
    await writer(double, 7).write("new", "done");
    expect(bodies(double)).toEqual([bodyOf(6, "the bot's"), bodyOf(7, "new")]);
  });

  it("takes the login of an App of one's own from the input, without asking", async () => {
    await using double = await withPull({ account: { login: "bench-app[bot]", kind: "installation" } });
    leftBy(double, 6, "github-actions'");
    leftBy(double, 6, "the app's", "bench-app[bot]");
    await writer(double, 7, { author: "bench-app[bot]" }).write("new", "done");
    expect(bodies(double)).toEqual([bodyOf(6, "github-actions'"), bodyOf(7, "new")]);
    expect(asked(double)).not.toContain(USER);
  });

  it.each([undefined, "mistaken[bot]"])("learns it from its own comment when the input says %s", async (author) => {
    await using double = await withPull({ account: { login: "bench-app[bot]", kind: "installation" } });
    const first = leftBy(double, 6, "the app's", "bench-app[bot]");
    const run = writer(double, 7, author === undefined ? {} : { author });
    expect(await run.write("new", "done")).toMatchObject({ state: "written", created: false });
    expect(double.commentsOf(PULL)).toMatchObject([{ id: first.id, body: bodyOf(7, "new") }]);
    // Its readers get a message for the second comment of every run, so the log says what prevents it.
    expect(run.lines.join("\n")).toContain(
      `The token writes as bench-app[bot], not as ${author ?? "github-actions[bot]"}. Give the input comment-author: bench-app[bot]. Without it, every run makes a second comment and removes it.`,
    );
  });
});

describe("older and newer runs", () => {
  it.each([
    { what: "a later run", found: { runId: 8 } },
    { what: "a later run, whose id is longer", found: { runId: 10 } },
    { what: "a later attempt", found: { runId: 7, attempt: 2 } },
    { what: "a later run that still measures", found: { runId: 8, phase: "measuring" } },
  ])("leaves what $what has written", async ({ found: { runId, ...of } }) => {
    await using double = await withPull();
    knownRun(double, runId, of.attempt);
    const { id } = double.addComment({ issue: PULL, login: LOGIN, body: bodyOf(runId, "newer", of) });
    expect(await writer(double, 7).write("older", "done")).toEqual({
      state: "newer",
      url: expect.stringContaining(`${id}`),
    });
    expect(bodies(double)).toEqual([bodyOf(runId, "newer", of)]);
  });

  it.each([
    { what: "an earlier run", found: { runId: 6 } },
    { what: "an earlier attempt", found: { runId: 7, attempt: 1 } },
    { what: "another job of its own", found: { runId: 7, attempt: 2 } },
    { what: "its own beginning", found: { runId: 7, attempt: 2, phase: "measuring" } },
  ])("replaces what $what has written", async ({ found: { runId, ...of } }) => {
    await using double = await withPull();
    double.addComment({ issue: PULL, login: LOGIN, body: bodyOf(runId, "there", of) });
    expect(await writer(double, 7, { attempt: 2 }).write("new", "done")).toMatchObject({ state: "written" });
    expect(bodies(double)).toEqual([bodyOf(7, "new", { attempt: 2 })]);
  });

  it("does not say that it measures when the same run is done", async () => {
    await using double = await withPull();
    leftBy(double, 7, "done by another job");
    expect(await writer(double, 7).write("1 of 3", "measuring")).toMatchObject({ state: "newer" });
    expect(bodies(double)).toEqual([bodyOf(7, "done by another job")]);
  });

  it("sees that a later run came between two writes", async () => {
    await using double = await withPull();
    const older = writer(double, 7);
    await older.write("0 of 3", "measuring");
    await writer(double, 8).write("newer", "done");
    expect(await older.write("older", "done")).toMatchObject({ state: "newer" });
    expect(bodies(double)).toEqual([bodyOf(8, "newer")]);
  });

  it("updates the oldest of several, and removes what earlier runs left beside it", async () => {
    await using double = await withPull();
    const oldest = leftBy(double, 4, "four");
    leftBy(double, 5, "five");
    leftBy(double, 999, "a user's", "octocat");
    await writer(double, 7).write("new", "done");
    expect(double.commentsOf(PULL)).toMatchObject([
      { id: oldest.id, body: bodyOf(7, "new") },
      { body: bodyOf(999, "a user's") },
    ]);
  });

  it("leaves all of several when one of them is a later run's, except what is older than itself", async () => {
    await using double = await withPull();
    leftBy(double, 4, "four");
    leftBy(double, 8, "eight");
    expect(await writer(double, 7).write("older", "done")).toMatchObject({ state: "newer" });
    expect(bodies(double)).toEqual([bodyOf(4, "four"), bodyOf(8, "eight")]);
  });
});

describe("what happens to the comment meanwhile", () => {
  it("makes another one when it was deleted between two writes", async () => {
    await using double = await withPull();
    const run = writer(double, 7);
    await run.write("0 of 3", "measuring");
    removeComment(double, double.commentsOf(PULL)[0]?.id ?? 0);
    expect(await run.write("the end", "done")).toMatchObject({ state: "written", created: true });
    expect(bodies(double)).toEqual([bodyOf(7, "the end")]);
  });

  it("makes another one when it was deleted between the look and the write", async () => {
    await using double = await withPull();
    const { id } = leftBy(double, 6, "old");
    double.before({ method: "PATCH", path: /comments/ }, () => removeComment(double, id));
    expect(await writer(double, 7).write("new", "done")).toMatchObject({ state: "written", created: true });
    expect(bodies(double)).toEqual([bodyOf(7, "new")]);
  });

  it("makes another one when it was deleted right after the write", async () => {
    await using double = await withPull();
    const { id } = leftBy(double, 6, "old");
    double.after({ method: "PATCH", path: /comments/ }, () => removeComment(double, id));
    expect(await writer(double, 7).write("new", "done")).toMatchObject({ state: "written", created: true });
    expect(bodies(double)).toEqual([bodyOf(7, "new")]);
  });

  it("does not write again what GitHub keeps in another form", async () => {
    await using double = await withPull();
    double.after({ method: "POST", path: /comments/ }, () => {
      for (const comment of double.commentsOf(PULL)) comment.body = comment.body.trimEnd();
    });
    await writer(double, 7).write("text\n\n", "done");
    expect(asked(double)).toEqual([USER, "GET comments", "POST comments", "GET comments"]);
  });

  it("takes the comment that another job made after its own was deleted", async () => {
    await using double = await withPull();
    const run = writer(double, 7);
    await run.write("0 of 3", "measuring");
    removeComment(double, double.commentsOf(PULL)[0]?.id ?? 0);
    const { id } = leftBy(double, 6, "old");
    expect(await run.write("the end", "done")).toMatchObject({ state: "written", created: false });
    expect(double.commentsOf(PULL)).toMatchObject([{ id, body: bodyOf(7, "the end") }]);
  });

  it("makes another one when somebody has taken the marker out", async () => {
    await using double = await withPull();
    const run = writer(double, 7);
    await run.write("0 of 3", "measuring");
    const [comment] = double.commentsOf(PULL);
    if (comment) comment.body = "a maintainer's words";
    expect(await run.write("the end", "done")).toMatchObject({ state: "written", created: true });
    expect(bodies(double)).toEqual(["a maintainer's words", bodyOf(7, "the end")]);
  });

  it("still knows it after an edit in a browser, which writes CRLF", async () => {
    await using double = await withPull();
    double.addComment({ issue: PULL, login: LOGIN, body: bodyOf(6, "old\nlines").replaceAll("\n", "\r\n") });
    await writer(double, 7).write("new", "done");
    expect(bodies(double)).toEqual([bodyOf(7, "new")]);
  });
});

describe("what GitHub refuses", () => {
  it("says that the token is not valid", async () => {
    await using double = await withPull();
    const run = writer(double, 7, { token: "wrong" });
    expect(await run.write("text", "done")).toMatchObject({
      state: "refused",
      failure: { kind: "unauthorized", status: 401 },
    });
    expect(run.calls).toBe(1);
  });

  it("says that the token may only read, on the first write and on an update", async () => {
    await using double = await withPull();
    double.addToken("read-only", {
      login: LOGIN,
      kind: "installation",
      permissions: { ...EVERYTHING, issues: "read", pullRequests: "read" },
    });
    const run = writer(double, 7, { token: "read-only" });
    const refused = { state: "refused", failure: { kind: "forbidden", status: 403 } };
    expect(await run.write("text", "measuring")).toMatchObject(refused);
    expect(bodies(double)).toEqual([]);
    leftBy(double, 6, "old");
    expect(await run.write("text", "done")).toMatchObject(refused);
    expect(bodies(double)).toEqual([bodyOf(6, "old")]);
    expect(asked(double).filter((request) => request.startsWith("P"))).toEqual(["POST comments", "PATCH comment"]);
  });

  it("says that the conversation is locked", async () => {
    await using double = await GitHubDouble.start();
    double.addPull({ number: PULL, locked: true });
    expect(await writer(double, 7).write("text", "done")).toMatchObject({
      state: "refused",
      failure: { kind: "locked" },
    });
  });

  it("says that there is no such pull request", async () => {
    await using double = await GitHubDouble.start();
    expect(await writer(double, 7).write("text", "done")).toMatchObject({
      state: "refused",
      failure: { kind: "not-found" },
    });
  });

  it("says that a text is too long, and can write a shorter one afterwards", async () => {
    await using double = await withPull();
    const run = writer(double, 7);
    const refused = { state: "refused", failure: { kind: "invalid", status: 422 } };
    expect(await run.write("x".repeat(70_000), "measuring")).toMatchObject(refused);
    expect(await run.write("short", "measuring")).toMatchObject({ state: "written", created: true });
    expect(await run.write("x".repeat(70_000), "done")).toMatchObject(refused);
    expect(bodies(double)).toEqual([bodyOf(7, "short", { phase: "measuring" })]);
  });
});
