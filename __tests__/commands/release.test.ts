/** What `release` refuses before anything is measured, and what it makes of results that are there. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { main } from "../../src/commands/main.js";
import type { Results } from "../../src/results/schema.js";
import { GitHubDouble } from "../support/github/double.js";
import { ROOT } from "../support/own-set.js";
import { failedIn, firstFacts, notesFacts } from "../support/release.js";
import { commit, git, newRepository, stateOf } from "../support/repository.js";

let temp: string;
let repository: string;
const shas = new Map<string, string>();
beforeAll(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
  repository = newRepository(join(temp, "checkout"));
  for (const tag of ["v1.2.0", "v1.10.0", "v2.0.0-rc.1", "v2.0.0"]) {
    shas.set(tag, commit(repository, { VERSION: tag }));
    git(repository, "tag", ...(tag === "v1.10.0" ? ["-a", "-m", "An annotated tag"] : []), tag);
  }
  git(repository, "tag", "nightly", "v1.2.0");
  // A branch with the name of a tag.
  git(repository, "branch", "v1.10.0", "v1.2.0");
  git(repository, "remote", "add", "origin", "git@github.com:acme/server.git");
});
afterAll(() => rmSync(temp, { recursive: true, force: true }));

let out: string;
beforeEach(() => {
  out = mkdtempSync(join(temp, "out-"));
});

async function release(args: readonly string[], env: Readonly<Record<string, string>> = {}, cwd = repository) {
  let [output, errors] = ["", ""];
  const code = await main(["release", ...args, "--out", out], {
    ...{ root: ROOT, cwd, env: { PATH: process.env.PATH ?? "", RUNNER_TEMP: temp, ...env } },
    stdout: { write: (text) => (output += text) },
    stderr: { write: (text) => (errors += text) },
  });
  return { code, output, errors };
}

function stored(tag: string, base: string | undefined, change: (results: Results) => Results = (same) => same): string {
  const { results } = base === undefined ? firstFacts() : notesFacts();
  const { comparison, run } = results;
  const measured = {
    ...results,
    run: { ...run, git: { sha: shas.get(tag) ?? "" } },
    ...(comparison && { comparison: { ...comparison, base: { ref: base ?? "", sha: shas.get(base ?? "") ?? "" } } }),
  };
  const file = join(temp, "results.json");
  writeFileSync(file, JSON.stringify(change(measured)));
  return file;
}

describe("wrong input", () => {
  it.each([
    ["no tag", [], /^server-bench: release needs a tag: release --tag TAG/],
    [
      "a tag that is not there",
      ["--tag", "v2.0.1"],
      /--tag v2\.0\.1: there is no such tag in this checkout; did you mean "v2\.0\.0"\?/,
    ],
    ["a tag without a version", ["--tag", "nightly"], /--tag nightly: names no version, .*; name it with --previous/],
    [
      "a previous tag that is not there",
      ["--tag", "v2.0.0", "--previous", "v9"],
      /--previous v9: there is no such tag/,
    ],
    ["an unknown metric", ["--tag", "v2.0.0", "--metrics", "speed"], /invalid --metrics "speed": use throughput, cpu,/],
    [
      "a row that no set has",
      ["--tag", "v2.0.0", "--profile-rows", "interfaces/rsgi-byte"],
      /--profile-rows: .*"interfaces\/rsgi-byte".*interfaces\/rsgi-bytes/,
    ],
    ["the same commit", ["--tag", "nightly", "--previous", "v1.2.0"], /is the same commit as nightly/],
    [
      "another commit checked out",
      ["--tag", "v1.10.0"],
      /the checkout is at [0-9a-f]{40}, not at v1\.10\.0 \([0-9a-f]{40}\); run git checkout v1\.10\.0/,
    ],
    [
      "an address that is none",
      ["--tag", "v2.0.0", "--page-url", "javascript:alert(1)"],
      /invalid --page-url "javascript:alert\(1\)"/,
    ],
    [
      "a token beside the servers",
      ["--tag", "v2.0.0", "--update-release"],
      /--update-release needs --results FILE: servers that are measured could read the token/,
    ],
    [
      "options that measure",
      ["--tag", "v2.0.0", "--results", "x.json", "--profile", "quick"],
      /--results measures nothing, so that --profile has no meaning/,
    ],
  ])("%s: exit 2, nothing is written", async (_, args, message) => {
    const before = stateOf(repository);
    const { code, errors } = await release(args, { GITHUB_TOKEN: "x" });
    expect(errors).toMatch(message);
    expect(code).toBe(2);
    expect(readdirSync(out)).toEqual([]);
    expect(stateOf(repository)).toBe(before);
  });

  it("uncommitted changes", async () => {
    writeFileSync(join(repository, "VERSION"), "changed");
    const { code, errors } = await release(["--tag", "v2.0.0"]);
    git(repository, "checkout", "--quiet", "--", "VERSION");
    expect([code, errors]).toEqual([2, expect.stringContaining("has uncommitted changes, so that it is not v2.0.0")]);
  });

  it("a shallow clone without the tags, and the remedy", async () => {
    const clone = join(temp, "shallow");
    git(temp, "clone", "--quiet", "--depth=1", "--no-tags", `file://${repository}`, clone);
    const { code, errors } = await release(["--tag", "v2.0.0"], {}, clone);
    expect([code, errors]).toEqual([2, expect.stringContaining('give actions/checkout "fetch-depth: 0"')]);
  });
});

const SHARD_3 = { shard: "3/4", reason: "gone", rows: [] };

describe("release --results", () => {
  it("makes notes, a page and a site of a comparison with the previous tag", async () => {
    const site = join(out, "site");
    const file = stored("v2.0.0", "v1.10.0");
    const args = ["--tag", "v2.0.0", "--results", file, "--site", site, "--page-url", "https://acme.github.io/server"];
    const { code, errors, output } = await release(args);
    expect(code, errors).toBe(0);
    expect(errors).toContain("Tags without a version were ignored: nightly.");
    expect(output).toContain(`Page: ${site}/v2.0.0/index.html`);
    expect(
      readdirSync(out)
        .filter((name) => name !== "charts")
        .sort(),
    ).toEqual(["index.html", "notes.md", "report.md", "results.json", "site"]);
    const notes = readFileSync(join(out, "notes.md"), "utf8");
    expect(notes).toContain("## Benchmarks of v2.0.0 compared with v1.10.0\n");
    expect(notes).toContain("[The page](https://acme.github.io/server/v2.0.0/)");
    expect(notes).toContain(`https://github.com/acme/server/commit/${shas.get("v1.10.0")}`);
    expect(readFileSync(join(site, "index.html"), "utf8")).toContain("Benchmarks of all releases of acme/server");
  });

  it("keeps the history of all releases in the site: pages, data, feed and badge", async () => {
    const site = join(temp, "releases");
    const days = [
      ["v1.10.0", "v1.2.0", 2],
      ["v1.2.0", undefined, 1],
      ["v2.0.0", "v1.10.0", 3],
    ] as const;
    for (const [tag, previous, day] of days) {
      const file = stored(tag, previous, (of) => ({
        ...of,
        run: { ...of.run, id: `run-${day}`, startedAt: `2025-01-0${day}T02:28:11Z` },
      }));
      const { code, errors } = await release(["--tag", tag, "--results", file, "--site", site]);
      expect(code, errors).toBe(0);
    }
    expect(readdirSync(join(site, "history")).sort()).toEqual([
      "badge.json",
      "feed.atom",
      "history.json",
      "index.html",
    ]);
    const history = JSON.parse(readFileSync(join(site, "history/history.json"), "utf8"));
    expect(history).toMatchObject({
      order: "version",
      repository: "https://github.com/acme/server",
      runs: [
        { version: "v1.2.0", id: "run-1", sha: shas.get("v1.2.0") },
        { version: "v1.10.0", id: "run-2", source: "v1.10.0/results.json" },
        { version: "v2.0.0", id: "run-3" },
      ],
      leftOut: [],
    });
    expect(JSON.parse(readFileSync(join(site, "history/badge.json"), "utf8")).message).toBe("1 benchmark fails");
    expect(readFileSync(join(site, "history/index.html"), "utf8")).toContain(
      '<a href="../index.html">All releases</a>',
    );
    const index = readFileSync(join(site, "index.html"), "utf8");
    expect(index).toContain('<a href="history/index.html">History of every benchmark over all releases</a>');
    expect(index).toContain('title="Changes of level" href="history/feed.atom"');

    // A release whose results are gone or cut off is listed, and the others stay.
    rmSync(join(site, "v1.2.0/results.json"));
    writeFileSync(join(site, "v1.10.0/results.json"), "{");
    const again = await release(["--tag", "v2.0.0", "--results", stored("v2.0.0", "v1.10.0"), "--site", site]);
    expect(again.code, again.errors).toBe(0);
    const later = JSON.parse(readFileSync(join(site, "history/history.json"), "utf8"));
    expect(later.runs.map(({ version }: { version: string }) => version)).toEqual(["v2.0.0"]);
    expect(later.leftOut).toEqual([
      { source: "v1.10.0/results.json", reason: expect.stringMatching(/ends in the middle/) },
      { source: "v1.2.0/results.json", reason: expect.stringMatching(/no such file/) },
    ]);
  });

  it.each([
    ["another commit", () => stored("v1.2.0", "v1.10.0"), /was measured at [0-9a-f]{40}, not at v2\.0\.0/],
    [
      "another base",
      () => stored("v2.0.0", "v1.2.0"),
      /is compared with v1\.2\.0 \([0-9a-f]{40}\), not with v1\.10\.0/,
    ],
    [
      "stored results as base",
      () =>
        stored("v2.0.0", "v1.10.0", ({ comparison, ...of }) => ({
          ...of,
          ...(comparison && { comparison: { ...comparison, mode: "artifact" } }),
        })),
      /is compared with stored results; a release is compared in pairs/,
    ],
    [
      "a run that did not finish",
      () => stored("v2.0.0", "v1.10.0", (of) => ({ ...of, run: { ...of.run, finishedAt: null } })),
      /its run did not finish/,
    ],
    [
      "one shard of two",
      () => stored("v2.0.0", "v1.10.0", (of) => ({ ...of, run: { ...of.run, shard: { index: 2, of: 2 } } })),
      /: lacks the shard 1\/2: it left no results: .*: measure v2\.0\.0 again/,
    ],
    [
      "shards that lack rows",
      () =>
        stored("v2.0.0", "v1.10.0", (of) => ({
          ...of,
          run: { ...of.run, missing: [{ shard: "2/4", reason: "it was ended.", rows: ["a/b"] }, SHARD_3] },
        })),
      /: lacks the shard 2\/4: it was ended \(and 1 shard more\): measure v2\.0\.0 again/,
    ],
  ])("refuses results of %s", async (_, file, message) => {
    const { code, errors } = await release(["--tag", "v2.0.0", "--results", file()]);
    expect([code, errors]).toEqual([2, expect.stringMatching(message)]);
    expect(existsSync(join(out, "notes.md"))).toBe(false);
  });

  it("of a first release say that nothing was compared", async () => {
    const { code } = await release(["--tag", "v1.2.0", "--results", stored("v1.2.0", undefined)]);
    expect(code).toBe(0);
    expect(readFileSync(join(out, "notes.md"), "utf8")).toContain("**Nothing to compare with:**");
  });

  it("writes into the release on GitHub, and ends with 1 where it cannot", async () => {
    await using github = await GitHubDouble.start();
    const env = { GITHUB_TOKEN: github.token, GITHUB_API_URL: github.url };
    const args = ["--tag", "v2.0.0", "--results", stored("v2.0.0", "v1.10.0"), "--update-release"];
    const missing = await release(args, env);
    expect([missing.code, missing.errors]).toEqual([
      1,
      expect.stringContaining("the release was not changed: there is no release for v2.0.0"),
    ]);
    expect(existsSync(join(out, "notes.md"))).toBe(true);
    const one = github.addRelease({ tag: "v2.0.0", body: "News", draft: true });
    const written = await release(args, env);
    expect([written.code, written.output]).toEqual([
      0,
      expect.stringMatching(
        /Draft written: https:\/\/github\.com\/acme\/server\/releases\/.*\nAttached: server-bench\.html, server-bench-results\.json\n/,
      ),
    ]);
    const page = readFileSync(join(out, "index.html"), "utf8");
    expect(page).toContain("<code>results.json</code>, next to this page,");
    const attached = page.replace("<code>results.json</code>,", "<code>server-bench-results.json</code>,");
    expect(one.assets[0]?.bytes.toString("utf8")).toBe(attached);
    Object.assign(one, { draft: false, immutable: true, assets: [] });
    const immutable = await release(args, env);
    expect([immutable.code, immutable.errors]).toEqual([
      0,
      expect.stringContaining("the release is immutable; files can be attached only while it is a draft"),
    ]);
    expect(one.body).toMatch(
      /^News\n\n<!-- server-bench release: begin -->\n\n## Benchmarks of v2\.0\.0 compared with v1\.10\.0/,
    );
  });

  it.each([
    ["head", 3, "nothing could be measured"],
    ["base", 1, "no row was compared, because rows failed in base"],
  ] as const)(
    "publishes nothing where all rows failed in %s, and keeps notes without a link",
    async (side, end, why) => {
      await using github = await GitHubDouble.start();
      const one = github.addRelease({ tag: "v2.0.0", body: "News" });
      const site = join(out, "site");
      const file = stored("v2.0.0", "v1.10.0", (of) => failedIn(side, of));
      const published = ["--site", site, "--page-url", "https://acme.github.io/server", "--update-release"];
      const { code, errors, output } = await release(["--tag", "v2.0.0", "--results", file, ...published], {
        GITHUB_TOKEN: github.token,
        GITHUB_API_URL: github.url,
      });
      expect(code, errors).toBe(end);
      expect(errors).toContain(`server-bench: v2.0.0 was not published: ${why}`);
      expect(output).toBe(`Notes: ${out}/notes.md\nPage: ${out}/index.html\n`);
      expect(existsSync(site)).toBe(false);
      expect(one).toMatchObject({ body: "News", assets: [] });
      expect(readFileSync(join(out, "notes.md"), "utf8")).not.toContain("acme.github.io");
      // Nobody asked for more than the files.
      const plain = await release(["--tag", "v2.0.0", "--results", file]);
      expect([plain.code, plain.errors]).toEqual([
        side === "head" ? 3 : 0,
        expect.not.stringContaining("not published"),
      ]);
    },
  );

  it("needs a token", async () => {
    const { code, errors } = await release([
      "--tag",
      "v2.0.0",
      "--results",
      stored("v2.0.0", "v1.10.0"),
      "--update-release",
    ]);
    expect([code, errors]).toEqual([2, expect.stringContaining("in GITHUB_TOKEN")]);
  });
});
