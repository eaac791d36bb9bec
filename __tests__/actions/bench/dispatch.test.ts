/** `/bench` by people who may: from the comment to the start of the workflow that measures, and its answers. */
import { describe, expect, it } from "vitest";
import { comment, HEAD, label, openAsking, PULL, WORKFLOW } from "../../support/bench.js";
import { shaOf } from "../../support/github/double.js";

/** From the comment to the start, that included. */
const MAX_CALLS = 6;
const FORK = { headRepository: "mallory/server" };

function callsToStart(calls: readonly string[]): number {
  return calls.findIndex((call) => call.endsWith("/dispatches")) + 1;
}

describe.concurrent("a command", () => {
  it("pins the head, starts the workflow on the default branch, and is seen", async () => {
    await using asking = await openAsking();
    const body = "/bench http2 files/* --budget 10 --detect=2 --latency\nThanks!";
    const ended = await comment(asking, body, { bundle: true });
    expect(ended.code, ended.log).toBe(0);
    expect(ended.dispatches.map(({ file, ref }) => [file, ref])).toEqual([[WORKFLOW, "main"]]);
    expect(ended.request).toEqual({
      version: 1,
      pullRequest: PULL,
      sha: HEAD,
      base: shaOf("base"),
      fork: false,
      arguments: ["http2", "files/*", "--budget", "10", "--detect=2", "--latency"],
      key: "default",
      comment: ended.stored.id,
      by: "maint",
      replace: false,
      title: "/bench #7 (default)",
    });
    expect(ended.reactions).toEqual(["eyes"]);
    expect(ended.replies).toEqual([]);
    expect(JSON.parse(ended.outputs.request ?? "")).toEqual(ended.request);
    expect(ended.summary).toBe(`Started ${WORKFLOW} for \`${HEAD}\` of pull request ${PULL}.\n`);
    expect(callsToStart(ended.calls)).toBeLessThanOrEqual(MAX_CALLS);
    expect(ended.calls).toEqual([
      "GET collaborators/maint/permission",
      "GET pulls/7",
      "GET activity",
      `POST actions/workflows/${WORKFLOW}/dispatches`,
      `POST issues/comments/${ended.stored.id}/reactions`,
    ]);
  });

  it.each(["has-write", "has-maintain", "has-admin"])("is for %s", async (login) => {
    await using asking = await openAsking();
    expect((await comment(asking, "/bench", { login })).request?.by).toBe(login);
  });

  it("is for logins that the workflow names, too", async () => {
    await using asking = await openAsking();
    const inputs = { "allowed-users": "someone, HAS-Read" };
    expect((await comment(asking, "/bench", { login: "has-read", inputs })).request?.by).toBe("has-read");
  });

  it.each([HEAD, HEAD.slice(0, 7), HEAD.slice(0, 12).toUpperCase()])(
    "with the commit %s of a fork measures it",
    async (typed) => {
      await using asking = await openAsking(FORK);
      const ended = await comment(asking, `/bench ${typed} http2`);
      expect(ended.request, ended.log).toMatchObject({ sha: HEAD, fork: true, arguments: ["http2"] });
      expect(callsToStart(ended.calls)).toBeLessThanOrEqual(MAX_CALLS);
    },
  );

  it("with the commit of a fork that was deleted measures it", async () => {
    await using asking = await openAsking({ headRepository: undefined });
    expect((await comment(asking, `/bench ${HEAD}`)).request).toMatchObject({ sha: HEAD, fork: true });
  });

  it("with a commit measures an own branch whose pushes GitHub does not list", async () => {
    await using asking = await openAsking();
    asking.github.state.pushes.length = 0;
    expect((await comment(asking, `/bench ${HEAD}`)).request).toMatchObject({ sha: HEAD, fork: false });
  });

  it.each([
    ["/bench", []],
    ["/bench   ", []],
    ["/bench\r\n\r\nPlease.", []],
    ["/bench confirm interfaces/asgi-bytes", ["interfaces/asgi-bytes", "--detect", "1"]],
    ["/bench confirm interfaces/asgi-bytes --detect 2", ["interfaces/asgi-bytes", "--detect", "2"]],
    [
      `/bench confirm ${HEAD} interfaces/asgi-bytes --budget 9`,
      ["interfaces/asgi-bytes", "--budget", "9", "--detect", "1"],
    ],
  ])("%j asks for %j", async (body, words) => {
    await using asking = await openAsking();
    expect((await comment(asking, body)).request?.arguments).toEqual(words);
  });

  it("names the key, and whether it ends an earlier run", async () => {
    await using asking = await openAsking();
    const inputs = { "comment-key": "request", "second-request": "replace" };
    const { request } = await comment(asking, "/bench", { inputs });
    expect(request).toMatchObject({ key: "request", replace: true, title: "/bench #7 (request)" });
  });

  it("leaves the names of sets to the run where the workflow has its own", async () => {
    await using asking = await openAsking();
    const { request } = await comment(asking, "/bench mine", { inputs: { "scenarios-dir": "bench" } });
    expect(request?.arguments).toEqual(["mine"]);
  });
});

describe.concurrent("a word that nobody knows gets the nearest", () => {
  it.each([
    ["--budgt 10", 'unknown option --budgt; did you mean "--budget"? options: --profile, --budget'],
    ["cancle", '; did you mean "cancel"?'],
    ["confrim interfaces/asgi-bytes", '; did you mean "confirm"?'],
    ["htp2", 'unknown word "htp2" (if it is your own, '],
    ["htp2", '; did you mean "http2"?'],
    // The list of all sets is cut, so it comes last.
    ["please", "; /bench help lists the commands; sets: all-servers, "],
    ["interfaces/asgi-byte", '; did you mean "interfaces/asgi-bytes"?'],
    ["--budget", "--budget needs a value: --budget MINUTES"],
    ["--budget soon", 'invalid budget "soon": give minutes, such as 10 or 2.5'],
    ["--detect 9", 'invalid detect "9": give per cent from 1 to 3'],
    ["--profile fast", "fast"],
    ["confirm", "/bench confirm takes one benchmark, such as interfaces/asgi-bytes"],
    ["confirm http2", "/bench confirm takes one benchmark"],
    ["confirm interfaces/*", "/bench confirm takes one benchmark"],
    ["cancel all", "/bench cancel takes no further words"],
  ])("/bench %s", async (words, said) => {
    await using asking = await openAsking();
    const ended = await comment(asking, `/bench ${words}`);
    expect(ended.dispatches).toEqual([]);
    expect(ended.reactions, ended.log).toEqual(["confused"]);
    expect(ended.replies[0]?.replaceAll(/[\u200b\\]/g, "")).toContain(said);
  });

  it("and how the workflow says that it has sets of its own", async () => {
    await using asking = await openAsking();
    for (const words of ["shop", "shop/health"]) {
      const { replies } = await comment(asking, `/bench ${words}`);
      expect(replies.at(-1)?.replaceAll(/[\u200b\\]/g, "")).toContain(
        " (if it is your own, give scenarios-dir to the step with command: dispatch)",
      );
    }
  });
});

describe.concurrent("/bench help", () => {
  it("lists the commands in a reply", async () => {
    await using asking = await openAsking();
    const ended = await comment(asking, "/bench help");
    expect([ended.dispatches, ended.reactions]).toEqual([[], ["rocket"]]);
    expect(ended.replies).toEqual([expect.stringMatching(/^```text\n\/bench \[COMMIT\][\s\S]*--budget[\s\S]*\n```$/)]);
  });
});

it("does not claim an answer that GitHub refused", async () => {
  await using asking = await openAsking();
  asking.github.fail({ method: "POST", path: /\/issues\/7\/comments$/, status: 403, body: { message: "Forbidden" } });
  const { summary, reactions } = await comment(asking, "/bench help");
  expect(summary).toBe("The commands could not be shown: the log has the reason.\n");
  expect(reactions).toEqual(["confused"]);
});

describe.concurrent("/bench cancel", () => {
  const title = "/bench #7 (default)";
  const run = { event: "workflow_dispatch", workflowFile: WORKFLOW, conclusion: null } as const;

  it("ends what runs and waits for this pull request and key, and nothing else", async () => {
    await using asking = await openAsking();
    const { github } = asking;
    const ours = [
      github.addRun({ ...run, status: "in_progress", displayTitle: title }),
      github.addRun({ ...run, status: "queued", displayTitle: title }),
    ];
    const others = [
      github.addRun({ ...run, status: "in_progress", displayTitle: "/bench #70 (default)" }),
      github.addRun({ ...run, status: "in_progress", displayTitle: "/bench #7 (other)" }),
      github.addRun({ ...run, status: "in_progress", displayTitle: title, event: "pull_request" }),
      github.addRun({ ...run, status: "in_progress", displayTitle: title, workflowFile: "other.yml" }),
    ];
    const ended = await comment(asking, "/bench cancel");
    expect([ended.code, ended.reactions], ended.log).toEqual([0, ["rocket"]]);
    expect(ours.map(({ conclusion }) => conclusion)).toEqual(["cancelled", "cancelled"]);
    expect(others.map(({ status }) => status)).toEqual(others.map(() => "in_progress"));
  });

  it("goes on where a run ends before it is cancelled, and does not count it", async () => {
    await using asking = await openAsking();
    const { github } = asking;
    const ended = github.addRun({ ...run, status: "in_progress", displayTitle: title });
    const waiting = github.addRun({ ...run, status: "queued", displayTitle: title });
    for (const one of [ended, waiting])
      github.before({ path: new RegExp(`/runs/${one.id}/cancel$`) }, () => {
        Object.assign(ended, { status: "completed", conclusion: "success" });
      });
    const first = await comment(asking, "/bench cancel");
    expect([first.code, first.reactions], first.log).toEqual([0, ["rocket"]]);
    expect([ended.conclusion, waiting.conclusion]).toEqual(["success", "cancelled"]);
    expect(first.log).toContain("Cancelled 1.");
    Object.assign(ended, { status: "in_progress" });
    github.before({ path: /cancel$/ }, () => void Object.assign(ended, { status: "completed" }));
    const second = await comment(asking, "/bench cancel");
    expect(second.replies.at(-1), second.log).toContain("nothing that was asked for");
  });

  it("is refused where there is nothing", async () => {
    await using asking = await openAsking();
    asking.github.addRun({ ...run, status: "completed", conclusion: "success", displayTitle: title });
    const ended = await comment(asking, "/bench cancel");
    expect(ended.reactions).toEqual(["confused"]);
    expect(ended.replies[0]).toContain("nothing that was asked for");
  });
});

describe.concurrent("a label", () => {
  const inputs = { label: "bench" };

  it("asks for the head that the pull request had", async () => {
    await using asking = await openAsking();
    const ended = await label(asking, "bench", { inputs });
    expect(ended.request, ended.log).toMatchObject({ sha: HEAD, arguments: [], comment: null, by: "maint" });
    expect(ended.reactions).toEqual(["eyes"]);
    expect(callsToStart(ended.calls)).toBeLessThanOrEqual(MAX_CALLS);
  });

  it("does not stand for the commit of a fork", async () => {
    await using asking = await openAsking(FORK);
    const ended = await label(asking, "bench", { inputs });
    expect([ended.dispatches, ended.reactions]).toEqual([[], ["confused"]]);
    expect(ended.replies[0]).toMatch(/^The label was refused: the pull request comes from a fork/);
  });
});
