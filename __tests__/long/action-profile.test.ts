/** The action on a double of GitHub, from a pull request to a profile in its comment. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { readResults } from "../../src/results/read.js";
import { worldOfTest } from "../support/action-world.js";

const TIMEOUT_MS = 240_000;

const world = worldOfTest();

/** The changed row, whose server has threads of Rust, was sampled without being asked for. */
async function expectProfiled(workspace: string): Promise<void> {
  const out = join(workspace, "server-bench-results");
  const { profiles = [] } = await readResults(join(out, "results.json"));
  const sampled = profiles.map((one) => [one.id, one.state === "sampled" ? one.functions[0]?.name : one.reason]);
  expect(sampled).toEqual([["mine/hello", "app"]]);
  const names = readdirSync(join(out, "profiles")).sort();
  expect(names).toEqual(["base.txt", "head.txt", "speedscope.json"].map((end) => `mine__hello-c16.${end}`));
  const text = readFileSync(join(out, "profiles/mine__hello-c16.head.txt"), "utf8");
  expect(text).toContain("app (");
  // No path of this machine's cache or checkout is left.
  for (const path of [workspace, "site-packages"]) expect(text).not.toContain(path);
  expect(readFileSync(join(out, "index.html"), "utf8").match(/<svg class="flame"/g)).toHaveLength(1);
}

it("a pull request's comment says where the time of a changed row went", { timeout: TIMEOUT_MS }, async () => {
  const { workspace, run } = world.pullRequest(5000);
  const { code, stdout } = await (await world.start(run, { "fail-on": "worse" }, { cwd: workspace })).ended;
  expect(code, stdout).toBe(1);
  expect(world.comments()[0]).toContain("<summary>Where the time went in mine/hello (c16): app (");
  expect(stdout).toMatch(/^where the time of 1 benchmark went: about 50 s$/m);
  expect(stdout).toMatch(/^profile of mine\/hello \(c16\): app \(\S*app\.py:\d+\) \+/m);
  await expectProfiled(workspace);
});
