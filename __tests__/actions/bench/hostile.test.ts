/** `/bench` by people who may not, and by comments that are made to do harm, on the double of GitHub. */
import { describe, expect, it } from "vitest";
import { ASKED_AT, type Asking, comment, HEAD, label, openAsking, push, WORKFLOW } from "../../support/bench.js";
import { shaOf } from "../../support/github/double.js";

const FORK = { headRepository: "mallory/server" };
const LATER = "2026-11-20T12:00:01Z";

type Ended = Awaited<ReturnType<typeof comment>>;

/** One reaction, one reply of one line, nothing started, no failed job. */
function expectRefused(ended: Ended, reason: RegExp): void {
  expect(ended.dispatches).toEqual([]);
  expect(ended.reactions, ended.log).toEqual(["confused"]);
  expect(ended.replies).toHaveLength(1);
  expect(ended.replies[0]?.replaceAll("\u200b", "").replaceAll("\\", "")).toMatch(reason);
  expect(ended.replies[0]).toMatch(
    /^\[This command\]\(https:\/\/github\.com\/acme\/server\/pull\/7#issuecomment-\d+\) was refused: [^\n]{1,600}$/,
  );
  expect(ended.code, ended.log).toBe(0);
}

/** Nobody is answered, GitHub is not asked. */
function expectIgnored(ended: Ended): void {
  expect(ended.calls, ended.log).toEqual([]);
  expect([ended.dispatches, ended.replies, ended.code]).toEqual([[], [], 0]);
}

describe.concurrent("people who cannot write", () => {
  it.each(["has-none", "has-read", "has-triage", "a-stranger"])("%s is refused", async (login) => {
    await using asking = await openAsking();
    const ended = await comment(asking, "/bench", { login });
    expectRefused(ended, /only people who can write/);
    // The payload calls everybody an owner: it is not asked.
    expect(ended.calls[0]).toBe(`GET collaborators/${login}/permission`);
  });

  it.each(["help", "cancel", "--budgt 1"])("get no other answer: %s", async (words) => {
    await using asking = await openAsking();
    expectRefused(await comment(asking, `/bench ${words}`, { login: "has-read" }), /only people who can write/);
  });

  it("whose login belonged to a maintainer once are refused", async () => {
    await using asking = await openAsking();
    expectRefused(
      await comment(asking, "/bench", { comment: { user: { login: "maint", id: 1, type: "User" } } }),
      /only people/,
    );
  });

  it("are refused where they set the label", async () => {
    await using asking = await openAsking();
    const ended = await label(asking, "bench", { login: "has-triage", inputs: { label: "bench" } });
    expect([ended.dispatches, ended.reactions]).toEqual([[], ["confused"]]);
  });
});

describe.concurrent("comments without an answer", () => {
  it.each([
    { what: "by a bot", given: { login: "helper[bot]" } },
    { what: "by an app for a person", given: { comment: { performed_via_github_app: { id: 1 } } } },
    { what: "edited", given: { action: "edited" } },
    { what: "edited before the job ran", given: { comment: { updated_at: LATER } } },
  ])("$what", async ({ given }) => {
    await using asking = await openAsking();
    asking.github.state.roles.set("helper[bot]", "admin");
    expectIgnored(await comment(asking, "/bench", given));
  });

  it.each([
    "/benchmark",
    " /bench",
    "Please /bench",
    "> /bench",
    "/Bench",
    "/bench$(id)",
    "/bench`id`",
    "\n/bench",
    "\t/bench",
    "/bench\t--budget 1",
  ])("whose first line is no command: %j", async (body) => {
    await using asking = await openAsking();
    expectIgnored(await comment(asking, body));
  });

  it("on a locked pull request, which takes no answer", async () => {
    await using asking = await openAsking({ locked: true });
    expectIgnored(await comment(asking, "/bench"));
  });

  it("another label", async () => {
    await using asking = await openAsking();
    const ended = await label(asking, "bug", { inputs: { label: "bench" } });
    expect([ended.calls, ended.code]).toEqual([[], 0]);
  });
});

describe.concurrent("text that is made for a shell, a log or Markdown", () => {
  it.each([
    "/bench $(touch x)",
    "/bench `touch x`",
    '/bench "http2"',
    "/bench 'http2'",
    "/bench http2; touch x",
    "/bench http2 | sh",
    "/bench http2 && touch x",
    `/bench \${{ github.token }}`,
    "/bench @everyone",
    "/bench #1",
    "/bench <img src=x>",
    "/bench [x](https://evil.example)",
    "/bench \u202ehttp2",
    "/bench http2\u0000",
    "/bench ../../etc/passwd\\",
    "/bench ::set-output name=x::y",
  ])("is refused without being quoted: %j", async (body) => {
    await using asking = await openAsking();
    const ended = await comment(asking, body);
    expectRefused(ended, /has a character that no command has/);
    for (const text of [ended.log, ended.summary, ...ended.replies]) expect(text).not.toContain(body.slice(7));
  });

  it("is not read below the first line", async () => {
    await using asking = await openAsking();
    const body = "/bench http2\r\n$(touch x)\n::error::x\n--budget 9";
    const ended = await comment(asking, body, { bundle: true });
    expect(ended.request?.arguments, ended.log).toEqual(["http2"]);
    expect(ended.log).not.toMatch(/touch x|::error::/);
  });

  it.each(["/bench http2\n/bench files", "/bench http2\n\n  /bench", "/bench http2 /bench files"])(
    "two commands are refused: %j",
    async (body) => {
      await using asking = await openAsking();
      expectRefused(await comment(asking, body), /more than one command/);
    },
  );

  it.each([
    { what: "64 KB of one word", body: `/bench ${"a".repeat(65_000)}` },
    { what: "64 KB of words", body: `/bench ${"a ".repeat(32_000)}` },
    { what: "64 KB of shell", body: `/bench ${"$(a)".repeat(16_000)}` },
  ])("$what is refused in one line", async ({ body }) => {
    await using asking = await openAsking();
    expectRefused(await comment(asking, body), /at most 300 characters/);
  });

  it.each([`/bench ${"*a".repeat(100)}`, "/bench ****", "/bench a*b*c*d*e"])(
    "a pattern for hours is refused",
    async (body) => {
      await using asking = await openAsking();
      expectRefused(await comment(asking, body), /at most 3 stars/);
    },
  );

  it.each([
    "--out=/etc",
    "--server granian=evil",
    "--scenarios /tmp",
    "--python /tmp/x",
    "--base-results x",
    "--fail-on never",
    "--base main",
    "--json",
    "--shard 1/2",
  ])("an option of files, programs or the gate is not for commands: %s", async (option) => {
    await using asking = await openAsking();
    expectRefused(await comment(asking, `/bench http2 ${option}`), /is not for commands; options: --profile, --budget/);
  });

  it.each(["-o/etc/x", "--help", "-h", "--", "--constructor", "--__proto__=1", "-b=1"])("nor is %s", async (option) => {
    await using asking = await openAsking();
    expectRefused(await comment(asking, `/bench ${option}`), /unknown option/);
  });
});

describe.concurrent("a commit that is not the one that was read", () => {
  it("is refused after a push that came later than the comment", async () => {
    await using asking = await openAsking();
    const next = shaOf("next");
    push(asking, HEAD, next, LATER);
    Object.assign(asking.pull, { headSha: next });
    expectRefused(
      await comment(asking, "/bench"),
      new RegExp(`the head moved from \`?${HEAD.slice(0, 12)}\`? to \`?${next.slice(0, 12)}\`?; repeat the command`),
    );
  });

  it("is refused after a push in the very second of the comment", async () => {
    await using asking = await openAsking();
    push(asking, HEAD, shaOf("next"), ASKED_AT);
    Object.assign(asking.pull, { headSha: shaOf("next") });
    expectRefused(await comment(asking, "/bench"), /the head moved/);
  });

  it("is refused after a push while the job looks", async () => {
    await using asking = await openAsking();
    asking.github.after({ method: "GET", path: /\/pulls\/7$/ }, () => push(asking, HEAD, shaOf("next"), LATER));
    expectRefused(await comment(asking, "/bench"), /the head moved/);
  });

  it("is refused after a forced push back to it", async () => {
    await using asking = await openAsking();
    push(asking, HEAD, shaOf("evil"), LATER);
    push(asking, shaOf("evil"), HEAD, "2026-11-20T12:00:02Z");
    expectRefused(await comment(asking, "/bench"), /the head moved/);
  });

  it("is refused where GitHub's list of pushes does not have it", async () => {
    await using asking = await openAsking();
    asking.github.state.pushes.length = 0;
    expectRefused(await comment(asking, "/bench"), /does not list when the head was pushed/);
  });

  it("is refused where the label was set before a push", async () => {
    await using asking = await openAsking();
    asking.github.before(
      { method: "GET", path: /\/pulls\/7$/ },
      () => void Object.assign(asking.pull, { headSha: shaOf("next") }),
    );
    const ended = await label(asking, "bench", { inputs: { label: "bench" } });
    expect([ended.dispatches, ended.reactions]).toEqual([[], ["confused"]]);
    expect(ended.replies[0]).toContain("the head moved");
  });

  it("is asked for where the pull request comes from a fork", async () => {
    await using asking = await openAsking(FORK);
    expectRefused(await comment(asking, "/bench http2"), /comes from a fork: give the commit that you have read/);
  });

  it.each([
    { what: "too short", typed: HEAD.slice(0, 6), said: /is too short for a commit: give at least 7 digits/ },
    { what: "of another repository", typed: shaOf("elsewhere"), said: /is not the head of this pull request/ },
    { what: "of another repository, short", typed: shaOf("elsewhere").slice(0, 8), said: /is not the head/ },
    { what: "of an earlier head", typed: shaOf("before"), said: /is not the head/ },
    { what: "too long", typed: `${HEAD}0`, said: /40 digits at most/ },
  ])("is refused where it is $what", async ({ typed, said }) => {
    await using asking = await openAsking(FORK);
    asking.github.addCommit(shaOf("elsewhere"));
    expectRefused(await comment(asking, `/bench ${typed} http2`), said);
  });

  it("is refused where its first digits fit another commit too", async () => {
    await using asking = await openAsking(FORK);
    asking.github.addCommit(`${HEAD.slice(0, 8)}${"0".repeat(32)}`);
    expectRefused(await comment(asking, `/bench ${HEAD.slice(0, 8)}`), /does not name one commit: give all 40 digits/);
  });

  it("is refused where GitHub resolves it to another one", async () => {
    await using asking = await openAsking(FORK);
    asking.github.state.commits.clear();
    asking.github.addCommit(`${HEAD.slice(0, 8)}${"0".repeat(32)}`);
    expectRefused(await comment(asking, `/bench ${HEAD.slice(0, 8)}`), /does not name one commit/);
  });
});

describe.concurrent("a pull request that is not open", () => {
  it("is refused where it is closed", async () => {
    await using asking = await openAsking({ state: "closed" });
    expectRefused(await comment(asking, "/bench"), /the pull request is closed/);
  });

  it("is not changed where it was locked meanwhile", async () => {
    await using asking = await openAsking();
    asking.github.before(
      { method: "GET", path: /\/pulls\/7$/ },
      () => void Object.assign(asking.pull, { locked: true }),
    );
    const ended = await comment(asking, "/bench");
    expect([ended.dispatches, ended.reactions, ended.replies, ended.code]).toEqual([[], [], [], 0]);
    expect(ended.log).toContain("the conversation is locked");
  });
});

describe.concurrent("GitHub in trouble", () => {
  const limited = (seconds: number) => ({
    ...{ method: "POST", path: /\/reactions$/, status: 403, headers: { "retry-after": String(seconds) } },
    body: { message: "You have exceeded a secondary rate limit" },
  });

  it("a rate limit while reacting is waited out, and nothing is started twice", async () => {
    await using asking = await openAsking();
    asking.github.fail(limited(1));
    const ended = await comment(asking, "/bench");
    expect([ended.dispatches.length, ended.reactions, ended.code], ended.log).toEqual([1, ["eyes"], 0]);
  });

  it("a long rate limit while reacting costs the reaction only", async () => {
    await using asking = await openAsking();
    asking.github.fail({ ...limited(3600), times: Number.POSITIVE_INFINITY });
    const ended = await comment(asking, "/bench");
    expect([ended.dispatches.length, ended.reactions, ended.code], ended.log).toEqual([1, [], 0]);
    expect(ended.log).toContain("the reaction eyes was not written: 403: GitHub limits");
  });

  it("a permission that cannot be read is no permission, and fails the job", async () => {
    await using asking = await openAsking();
    asking.github.fail({ method: "GET", path: /permission$/, status: 500, times: Number.POSITIVE_INFINITY });
    const ended = await comment(asking, "/bench");
    expect([ended.dispatches, ended.reactions, ended.code], ended.log).toEqual([[], ["confused"], 1]);
  });

  it("an answer of another shape is no permission", async () => {
    await using asking = await openAsking();
    const user = { id: "x" };
    asking.github.fail({ method: "GET", path: /permission$/, status: 200, body: { permission: "admin", user } });
    const ended = await comment(asking, "/bench");
    expect([ended.dispatches, ended.code], ended.log).toEqual([[], 1]);
  });

  it("a workflow that is not there is named", async () => {
    await using asking = await openAsking();
    asking.github.state.files.delete(`.github/workflows/${WORKFLOW}`);
    expectRefused(await comment(asking, "/bench"), /main has no workflow bench-measure\.yml/);
  });
});

describe.concurrent("an event that is made up", () => {
  it.each(["push", "workflow_dispatch", "pull_request_target"])("%s is refused", async (name) => {
    await using asking: Asking & AsyncDisposable = await openAsking();
    const { startAction } = await import("../../support/action.js");
    const run = asking.github.addRun({ event: name });
    const env = await asking.github.jobEnv(run, { name, payload: {} });
    const { code, stdout } = await startAction({ command: "dispatch", token: asking.github.token }, { env }).ended;
    expect(code).toBe(1);
    expect(stdout).toContain("command: dispatch is for the events issue_comment (created) and pull_request (labeled)");
    expect(asking.github.requests).toEqual([]);
  });
});
