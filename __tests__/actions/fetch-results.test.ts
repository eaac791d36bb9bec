/** How much of a run's results is read: a pull request's run can upload as much as it likes. */
import { expect, it } from "vitest";
import { fetchAll } from "../../src/actions/fetch-results.js";
import { formatResults } from "../../src/results/layout.js";
import { quickClient } from "../support/github/client.js";
import { GitHubDouble } from "../support/github/double.js";
import { pairedShard } from "../support/shards.js";
import { makeZip } from "../support/zip.js";

const NAMES = { results: "server-bench-results", plan: "server-bench-plan" };

it("is bounded: what comes after the limit is named, and not read", async () => {
  await using github = await GitHubDouble.start();
  const run = github.addRun();
  const texts = [1, 2, 3].map((index) => formatResults(pairedShard(index, 3, [`interfaces/${index}`])));
  for (const [i, data] of texts.entries())
    github.addArtifact({
      ...{ runId: run.id, name: `${NAMES.results}-${i + 1}-of-3`, zip: makeZip([{ name: "results.json", data }]) },
    });
  const source = { runId: run.id, attempt: 1, runUrl: "", headSha: "", own: true, names: NAMES };
  const all = await fetchAll(quickClient(github), source, () => {});
  expect(all.parts).toHaveLength(3);
  const log: string[] = [];
  const some = await fetchAll(quickClient(github), source, (line) => log.push(line), (texts[0]?.length ?? 0) + 1);
  expect(some.parts).toHaveLength(2);
  expect(some.unread.map(({ name }) => name)).toEqual([`${NAMES.results}-3-of-3`]);
  expect(log).toEqual([expect.stringMatching(/results-3-of-3 was not read: the results of this run .* Mi characters/)]);
});
