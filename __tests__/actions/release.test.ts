/** `command: release` in the job that publishes: it takes what another job of the run measured. */
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { releaseAction } from "../../src/actions/release.js";
import type { Results } from "../../src/results/schema.js";
import { openAction } from "../support/action.js";
import type { GitHubDouble } from "../support/github/double.js";
import { eachOnGitHub } from "../support/github/each.js";
import { failedIn, notesFacts, PREVIOUS, TAG, TAG_SHA } from "../support/release.js";
import { makeZip } from "../support/zip.js";

let workspace: string;
let github: GitHubDouble;
eachOnGitHub((folder, double) => {
  workspace = folder;
  github = double;
});

const INPUTS = { command: "release", measure: "false", token: "test-token" };

interface Options {
  readonly inputs?: Readonly<Record<string, string>>;
  readonly results?: Results;
  /** Of the results; default: those of the whole run. */
  readonly artifact?: string;
  /** A further artifact. */
  readonly unreadable?: { readonly name: string; readonly zip: Buffer };
  readonly event?: string;
  readonly headSha?: string;
}

async function publish({
  inputs = {},
  results = notesFacts().results,
  artifact = "server-bench-results",
  unreadable,
  event = "release",
  headSha = TAG_SHA,
}: Options = {}) {
  const run = github.addRun({ event, headSha, headBranch: TAG, status: "in_progress", conclusion: null });
  const zip = makeZip([{ name: "results.json", data: JSON.stringify(results) }]);
  github.addArtifact({ runId: run.id, name: artifact, zip });
  if (unreadable) github.addArtifact({ runId: run.id, ...unreadable });
  const repository = { full_name: "acme/server", default_branch: "main" };
  const payload = { action: "published", release: { tag_name: TAG }, repository };
  const env = await github.jobEnv(run, { name: event, payload, ref: `refs/tags/${TAG}` });
  const given = { ...INPUTS, ...inputs };
  const { action, log } = await openAction(github, workspace, { ...env, RUNNER_TEMP: workspace }, given);
  return { ...(await releaseAction(action)), log: log() };
}

const ONE_OF_TWO: Options = {
  results: { ...notesFacts().results, run: { ...notesFacts().results.run, shard: { index: 1, of: 2 } } },
  artifact: "server-bench-results-1-of-2",
};

describe("measure: false", () => {
  it("writes the notes into the release, adds the page to the site, and gives both paths", async () => {
    const release = github.addRelease({ tag: TAG, body: "News\r\n" });
    mkdirSync(join(workspace, "site"));
    const inputs = { site: "site", "page-url": "https://acme.github.io/server/" };
    const { outputs, summary, log, failure } = await publish({ inputs });
    expect(failure).toBeUndefined();
    expect(outputs).toMatchObject({
      "page-path": join(workspace, "site", TAG, "index.html"),
      "notes-path": join(workspace, "server-bench-results/notes.md"),
      verdict: "worse",
      worse: 1,
    });
    expect(release.body).toMatch(
      /^News\r\n\n<!-- server-bench release: begin -->\n\n## Benchmarks of v1\.3\.0 compared with v1\.2\.0/,
    );
    expect(release.body).toContain("[The page](https://acme.github.io/server/v1.3.0/)");
    expect(summary).toContain("## Benchmarks of v1.3.0 compared with v1.2.0");
    expect(readFileSync(join(workspace, "site/index.html"), "utf8")).toContain(
      "Benchmarks of all releases of acme/server",
    );
    expect(log).toContain("release written: https://github.com/acme/server/releases/");
    expect(log).toContain("attached to the release: server-bench.html, server-bench-results.json");
    expect(release.assets.map(({ name }) => name)).toEqual(["server-bench.html", "server-bench-results.json"]);
    // Nothing is uploaded a second time.
    expect(github.state.artifacts).toHaveLength(1);
  });

  it("is no failure without a release, and says what to do", async () => {
    const { failure, summary, log, outputs } = await publish();
    expect(failure).toBeUndefined();
    expect(log).toContain(`the release was not changed: there is no release for ${TAG}`);
    expect(summary).toContain("**The release was not changed:** there is no release for");
    expect(existsSync(String(outputs["notes-path"]))).toBe(true);
  });

  it("changes nothing where update-release is false", async () => {
    const release = github.addRelease({ tag: TAG, body: "News" });
    await publish({ inputs: { "update-release": "false" } });
    expect(release.body).toBe("News");
    expect(github.requests.filter(({ path }) => path.includes("/releases"))).toEqual([]);
  });

  it.each([
    ["head", "nothing could be measured"],
    ["base", "no row was compared, because rows failed in base"],
  ] as const)("changes neither release nor site where all rows failed in %s", async (side, why) => {
    const release = github.addRelease({ tag: TAG, body: "News" });
    const inputs = { site: "site", "page-url": "https://acme.github.io/server/" };
    const { summary, outputs } = await publish({ inputs, results: failedIn(side, notesFacts().results) });
    expect(release).toMatchObject({ body: "News", assets: [] });
    expect(existsSync(join(workspace, "site"))).toBe(false);
    expect(outputs["page-path"]).toBe(join(workspace, "server-bench-results/index.html"));
    expect(summary).toContain(`**${TAG} was not published:** ${why}`);
    expect(summary).not.toContain("acme.github.io/server/v1.3.0");
  });

  it("is finished although the job is cancelled meanwhile", async () => {
    const release = github.addRelease({ tag: TAG, body: "News" });
    github.before({ path: /\/releases/ }, () => void process.emit("SIGTERM", "SIGTERM"));
    const { log } = await publish();
    expect(log).toContain("note SIGTERM received: finishing the report first");
    expect(release.body).toContain("## Benchmarks of v1.3.0 compared with v1.2.0");
  });

  const { results } = notesFacts();
  const { comparison } = results;
  it.each([
    ["of another commit", { headSha: "f".repeat(40) }, /was measured at a1b2c3d4.*, not at v1\.3\.0/],
    [
      "of an unfinished run",
      { results: { ...results, run: { ...results.run, finishedAt: null } } },
      /its run did not finish/,
    ],
    [
      "of one shard of two",
      ONE_OF_TWO,
      /the results of this run: lacks the shard 2\/2: it left no results: .*: measure v1\.3\.0 again/,
    ],
    [
      "that are compared with stored ones",
      { results: { ...results, ...(comparison && { comparison: { ...comparison, mode: "artifact" as const } }) } },
      /a release is compared in pairs/,
    ],
    [
      "of another previous release",
      { inputs: { "previous-tag": "v1.1.0" } },
      /previous-tag v1\.1\.0: this run's results are compared with v1\.2\.0/,
    ],
    ["under another tag", { inputs: { tag: PREVIOUS } }, /it must be the tag that started this run \(v1\.3\.0\)/],
  ])("refuses results %s, and the release stays as it is", async (_, options: Options, message) => {
    const release = github.addRelease({ tag: TAG, body: "News" });
    await expect(publish(options)).rejects.toThrow(message);
    expect(release.body).toBe("News");
  });

  it("refuses results of which a shard cannot be read: the job can be run again", async () => {
    const release = github.addRelease({ tag: TAG, body: "News" });
    const zip = makeZip([{ name: "results.json", data: "{" }]);
    const unreadable = { name: "server-bench-results-2-of-2", zip };
    await expect(publish({ ...ONE_OF_TWO, unreadable })).rejects.toThrow(
      "not read: server-bench-results-2-of-2. The log has the reason. Run this job again.",
    );
    expect(release.body).toBe("News");
  });
});

it("refuses results that share their name with those of another job, and the release stays as it is", async () => {
  const release = github.addRelease({ tag: TAG, body: "News" });
  github.before({ path: /\/artifacts$/ }, () => {
    const [first] = github.state.artifacts;
    if (first) github.addArtifact({ runId: first.runId, name: "server-bench-results-2", zip: first.zip });
  });
  await expect(publish()).rejects.toThrow(/^the run has the results of several jobs under one name/);
  expect(release.body).toBe("News");
});

it("measures on Linux only, and says so before anything is looked up", async () => {
  const { platform } = process;
  onTestFinished(() => void Object.defineProperty(process, "platform", { value: platform }));
  Object.defineProperty(process, "platform", { value: "darwin" });
  await expect(publish({ inputs: { measure: "true" } })).rejects.toThrow(
    "command: release needs Linux, and this is macOS",
  );
});

it.each(["pull_request", "workflow_run"] as const)("is not for %s runs: their code is no release", async (event) => {
  const pull = github.addPull({ number: 7 });
  const run = github.addRun({ event: "pull_request", headSha: pull.headSha, headBranch: pull.headRef });
  const payload = event === "pull_request" ? github.pullRequestEvent(pull) : github.workflowRunEvent(run);
  const env = await github.jobEnv(run, { name: event, payload });
  const given = { ...INPUTS, tag: TAG };
  const { action } = await openAction(github, workspace, { ...env, RUNNER_TEMP: workspace }, given);
  await expect(releaseAction(action)).rejects.toThrow(`command: release is not for ${event} runs`);
});
