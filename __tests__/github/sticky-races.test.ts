import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { seeded } from "../../evaluation/random.js";
import { GitHubDouble, type Match } from "../support/github/double.js";
import { eventually } from "../support/run.js";
import { bodies, bodyOf, LOGIN, leftBy, PULL, runOf, type Writer, writer } from "../support/sticky.js";

const LIST: Match = { method: "GET", path: /\/issues\/\d+\/comments$/ };
const POST: Match = { method: "POST", path: /\/issues\/\d+\/comments$/ };
const PATCH: Match = { method: "PATCH", path: /\/issues\/comments\/\d+$/ };
const ALWAYS = { times: Number.POSITIVE_INFINITY };

async function withPull(): Promise<GitHubDouble> {
  const double = await GitHubDouble.start();
  double.addPull({ number: PULL });
  return double;
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Lets nobody pass before `parties` have come. */
function barrier(parties: number): () => Promise<void> {
  const { promise, resolve } = deferred();
  let waiting = 0;
  return () => {
    waiting += 1;
    if (waiting === parties) resolve();
    return promise;
  };
}

function barrierOfCalls(count: number, then: () => void): () => void {
  let calls = 0;
  return () => {
    calls += 1;
    if (calls === count) then();
  };
}

/** Each waits for the run before it in `order` to have been answered. */
function oneAfterAnother(double: GitHubDouble, match: Match, order: readonly number[]): void {
  const done = new Map(order.map((run) => [run, deferred()]));
  double.before({ ...match, ...ALWAYS }, async ({ body }) => {
    const before = order[order.indexOf(runOf(body) ?? 0) - 1];
    if (before !== undefined) await done.get(before)?.promise;
  });
  double.after({ ...match, ...ALWAYS }, ({ body }) => void done.get(runOf(body) ?? 0)?.resolve());
}

describe("runs that find no comment at the same time", () => {
  it.each([
    { what: "the older one's comment is first", order: [7, 8] },
    { what: "the newer one's comment is first", order: [8, 7] },
    { what: "three of them", order: [8, 7, 9] },
    { what: "three, the newest first", order: [9, 8, 7] },
  ])("end with one comment, the newest one's text: $what", async ({ order }) => {
    await using double = await withPull();
    const everybodyHasLooked = barrier(order.length);
    double.after({ ...LIST, times: order.length }, everybodyHasLooked);
    oneAfterAnother(double, POST, order);
    const written = await Promise.all(order.map((id) => writer(double, id).write(`text of ${id}`, "done")));
    const newest = Math.max(...order);
    expect(bodies(double)).toEqual([bodyOf(newest, `text of ${newest}`)]);
    expect(written[order.indexOf(newest)]).toMatchObject({ state: "written" });
    expect(written.filter(({ state }) => state === "refused")).toEqual([]);
  });

  it("end with one comment when all have made theirs before any looks again", async () => {
    await using double = await withPull();
    double.after({ ...LIST, times: 2 }, barrier(2));
    double.after({ ...POST, times: 2 }, barrier(2));
    await Promise.all([writer(double, 7).write("older", "done"), writer(double, 8).write("newer", "done")]);
    expect(bodies(double)).toEqual([bodyOf(8, "newer")]);
  });

  it("end with one comment, of two jobs of one run", async () => {
    await using double = await withPull();
    double.after({ ...LIST, times: 2 }, barrier(2));
    double.after({ ...POST, times: 2 }, barrier(2));
    const jobs = [writer(double, 7), writer(double, 7)];
    const written = await Promise.all(jobs.map((job, i) => job.write(`job ${i}`, "done")));
    expect(written.map(({ state }) => state)).toEqual(["written", "written"]);
    expect(double.commentsOf(PULL)).toHaveLength(1);
    expect([bodyOf(7, "job 0"), bodyOf(7, "job 1")]).toContain(bodies(double)[0]);
  });

  it("end with the final text when one job of a run is done as another begins", async () => {
    await using double = await withPull();
    double.after({ ...LIST, times: 2 }, barrier(2));
    double.after({ ...POST, times: 2 }, barrier(2));
    await Promise.all([writer(double, 7).write("beginning", "measuring"), writer(double, 7).write("the end", "done")]);
    expect(bodies(double)).toEqual([bodyOf(7, "the end")]);
  });

  it("end with one comment when the newer one's POST lost its answer", async () => {
    await using double = await withPull();
    double.after({ ...LIST, times: 2 }, barrier(2));
    oneAfterAnother(double, POST, [7, 8]);
    double.after({ ...POST, times: 1 }, () => double.fail({ ...POST, dropAfterApplying: true }));
    await Promise.all([writer(double, 7).write("older", "done"), writer(double, 8).write("newer", "done")]);
    expect(bodies(double)).toEqual([bodyOf(8, "newer")]);
  });
});

describe("runs that update the same comment at the same time", () => {
  it("end with the newer one's text when the older one's arrives last", async () => {
    await using double = await withPull();
    leftBy(double, 6, "old");
    double.after({ ...LIST, times: 2 }, barrier(2));
    const order: number[] = [];
    double.after({ ...PATCH, ...ALWAYS }, ({ body }) => void order.push(runOf(body) ?? 0));
    oneAfterAnother(double, PATCH, [8, 7]);
    const timing = { settleMs: 200 };
    const [older, newer] = await Promise.all([
      writer(double, 7, { timing: { settleMs: 1500 } }).write("older", "done"),
      writer(double, 8, { timing }).write("newer", "done"),
    ]);
    expect(order).toEqual([8, 7, 8]);
    expect(bodies(double)).toEqual([bodyOf(8, "newer")]);
    expect([older.state, newer.state]).toEqual(["newer", "written"]);
  });

  it("end with the newer one's text when the older one's arrives first", async () => {
    await using double = await withPull();
    leftBy(double, 6, "old");
    double.after({ ...LIST, times: 2 }, barrier(2));
    oneAfterAnother(double, PATCH, [7, 8]);
    await Promise.all([writer(double, 7).write("older", "done"), writer(double, 8).write("newer", "done")]);
    expect(bodies(double)).toEqual([bodyOf(8, "newer")]);
  });

  it("end with the newer one's text when the older one has looked before the newer one began", async () => {
    await using double = await withPull();
    leftBy(double, 6, "old");
    const newerIsDone = deferred();
    double.before({ ...PATCH, ...ALWAYS }, ({ body }) => (runOf(body) === 7 ? newerIsDone.promise : undefined));
    double.after({ ...PATCH, times: 2 }, barrierOfCalls(2, newerIsDone.resolve));
    // The older one's update has to arrive before the newer one looks, on a busy machine too.
    const newer = writer(double, 8, { timing: { settleMs: 1000 } });
    const older = writer(double, 7, { timing: { settleMs: 4000 } }).write("older", "done");
    await eventually("the older one's update", () => double.requests.some(({ body }) => runOf(body) === 7));
    await newer.write("0 of 3", "measuring");
    expect(await newer.write("newer", "done")).toMatchObject({ state: "written" });
    expect(await older).toMatchObject({ state: "newer" });
    expect(bodies(double)).toEqual([bodyOf(8, "newer")]);
  });

  it("say so when an older one's text keeps coming back", async () => {
    await using double = await withPull();
    const comment = leftBy(double, 6, "old");
    double.after({ ...PATCH, ...ALWAYS }, () => {
      comment.body = bodyOf(6, "old");
    });
    expect(await writer(double, 7).write("new", "done")).toMatchObject({
      state: "refused",
      failure: { message: expect.stringContaining("keeps replacing the comment") },
    });
  });
});

async function writeAll(run: Writer, id: number, random: () => number): Promise<void> {
  await sleep(random() * 10);
  if (random() < 0.5) await run.write("0 of 3", "measuring");
  if (random() < 0.3) await run.write("1 of 3", "measuring");
  await run.write(`text of ${id}`, "done");
}

describe("two runs at any time", () => {
  const seeds = Array.from({ length: 20 }, (_, i) => i + 1);

  it.each(seeds)("end with one comment and the newer one's text: seed %i", async (seed) => {
    await using double = await withPull();
    const random = seeded(seed);
    if (random() < 0.3) leftBy(double, 5, "old");
    if (random() < 0.2) leftBy(double, 6, "left over");
    double.addComment({ issue: PULL, login: LOGIN, body: "coverage: 100%" });
    // Before the work, and between the work and the answer.
    double.before({ path: /comments/, ...ALWAYS }, () => sleep(random() * 8));
    double.after({ path: /comments/, ...ALWAYS }, () => sleep(random() * 8));
    const timing = { settleMs: 120 };
    await Promise.all([7, 8].map((id) => writeAll(writer(double, id, { timing }), id, random)));
    expect(bodies(double).toSorted()).toEqual([bodyOf(8, "text of 8"), "coverage: 100%"]);
  });
});
