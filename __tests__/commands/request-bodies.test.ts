/** A request's body from a file: each side reads its own, so the bytes decide whether both sides get the same load. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { planPaired, planPairs } from "../../src/commands/run/base-plan.js";
import { planRun } from "../../src/plan/plan.js";
import { findBase } from "../../src/provision/sides/sides.js";
import { tempFolder } from "../support/cli.js";
import { app, ROOT } from "../support/own-set.js";
import { commit, newRepository } from "../support/repository.js";

const repository = newRepository(join(tempFolder(), "checkout"));
commit(repository, {
  "bench/servers.yml": `apps:
  hello: { interface: asgi, path: ../hello }
requests:
  get: { path: / }
  post: { method: POST, path: /, body: { file: payload.json } }
`,
  "bench/mine.yml": `title: Mine
defaults: { server: granian, app: hello }
rows:
  - { title: get, request: get }
  - { title: post, request: post }
`,
  "bench/payload.json": "{}",
  "hello/app.py": app(0),
});
writeFileSync(join(repository, "hello/app.py"), app(1));

async function planning() {
  const options = {
    ...{ root: ROOT, cwd: repository, selectors: ["mine"], profile: "quick", cores: 2 },
    scenarios: join(repository, "bench"),
  };
  const nothing = () => {};
  const stream = { write: nothing };
  return {
    source: await findBase("HEAD", repository, "commit"),
    plan: await planRun(options),
    options,
    python: undefined,
    context: { root: ROOT, cwd: repository, env: process.env, stdout: stream, stderr: stream },
    progress: { started: nothing, update: nothing, finished: nothing, failed: nothing, note: nothing },
    tempDir: tempFolder(),
  };
}

it("of the same bytes is the same load", async () => {
  const { measured, uncompared } = await planPaired(await planning());
  expect(measured.map(({ head }) => head.id)).toEqual(["mine/get", "mine/post"]);
  expect(uncompared).toEqual([]);
});

it.each([
  ["of other bytes", () => writeFileSync(join(repository, "bench/payload.json"), `{"large":"${"x".repeat(100_000)}"}`)],
  ["of a file that is not there", () => rmSync(join(repository, "bench/payload.json"))],
])("%s is another load: the row is measured alone, and the report says why", async (_, change) => {
  change();
  const { measured, alone, uncompared } = await planPaired(await planning());
  expect(measured.map(({ head }) => head.id)).toEqual(["mine/get"]);
  expect(alone.map(({ id }) => id)).toEqual(["mine/post"]);
  expect(uncompared).toMatchObject([{ id: "mine/post", kind: "not-comparable", reason: "it differs in request body" }]);
  const { refused } = await planPairs(await planning(), [{ id: "mine/post", connections: 64 }]);
  expect([...refused.values()]).toEqual(["it differs in request body"]);
});
