/** A private repository, checked out at depth 1 without a credential: base is fetched with a token that only its own server sees. */
import { chmodSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { pullRequestBase } from "../../../src/provision/sides/pull-request-base.js";
import { findBase, makeBase } from "../../../src/provision/sides/sides.js";
import { gitServer } from "../../support/git-server.js";
import { commit, git, newRepository, stateOf } from "../../support/repository.js";

const TOKEN = "the-token";

let temp: string;
let checkout: string;
let shas: { base: string; merge: string };
beforeEach(() => {
  temp = realpathSync(mkdtempSync(join(tmpdir(), "server-bench-test-")));
  vi.stubEnv("RUNNER_TEMP", temp);
  const origin = newRepository(join(temp, "served/acme/server"));
  const fork = commit(origin, { "app.py": "one\n" });
  git(origin, "checkout", "--quiet", "-b", "topic");
  commit(origin, { "topic.py": "x\n" });
  git(origin, "checkout", "--quiet", "main");
  const base = commit(origin, { "app.py": "two\n" });
  git(origin, "checkout", "--quiet", "--detach");
  git(origin, "merge", "--quiet", "--no-ff", "-m", "Merge topic into main", "topic");
  shas = { base, merge: git(origin, "rev-parse", "HEAD") };
  git(origin, "update-ref", "refs/pull/7/merge", shas.merge);
  git(origin, "checkout", "--quiet", "main");
  expect(fork).not.toBe(base);
  // As actions/checkout leaves it with `persist-credentials: false`.
  checkout = newRepository(join(temp, "checkout"));
  git(checkout, "fetch", "--quiet", "--depth=1", `file://${origin}`, "refs/pull/7/merge");
  git(checkout, "checkout", "--quiet", "--detach", shas.merge);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(temp, { recursive: true, force: true });
});

const event = () => ({ sha: shas.merge, baseSha: shas.base });

it("gets the base with the token, and leaves nothing of it behind", async () => {
  await using server = await gitServer(join(temp, "served"), TOKEN);
  git(checkout, "remote", "add", "origin", `${server.url}/acme/server`);
  const before = stateOf(checkout);
  const without = await pullRequestBase(checkout, event());
  expect(without).toMatchObject({ state: "missing" });
  const remote = { url: `${server.url}/acme/server`, token: TOKEN };
  expect(await pullRequestBase(checkout, event(), remote)).toMatchObject({ state: "found", sha: shas.base });
  expect(stateOf(checkout)).toBe(before);
  expect(readdirSync(temp).sort()).toEqual(["checkout", "served"]);
  const side = await makeBase(await findBase(shas.base, checkout, "commit"), checkout, join(temp, "base"));
  expect(git(side.cwd, "ls-files")).toBe("app.py");
  // A version that is derived from the history ends where the clone does.
  expect(git(side.cwd, "log", "--format=%H")).toBe(shas.base);
});

it("says why a token that is refused did not help", async () => {
  await using server = await gitServer(join(temp, "served"), TOKEN);
  git(checkout, "remote", "add", "origin", `${server.url}/acme/server`);
  const remote = { url: `${server.url}/acme/server`, token: "another" };
  const base = await pullRequestBase(checkout, event(), remote);
  expect(base).toMatchObject({ reason: expect.stringContaining('give actions/checkout "fetch-depth: 0"') });
  expect(JSON.stringify(base)).not.toContain("another");
});

it("shows the token to no other server and no program that the checkout's configuration names", async () => {
  await using server = await gitServer(join(temp, "served"), TOKEN);
  await using other = await gitServer(join(temp, "served"), "none");
  const mark = join(temp, "mark");
  const program = join(temp, "planted");
  writeFileSync(program, `#!/bin/sh\nenv >> ${mark}\n`);
  chmodSync(program, 0o755);
  for (const hook of ["reference-transaction", "post-checkout"]) {
    writeFileSync(join(checkout, ".git/hooks", hook), `#!/bin/sh\nenv >> ${mark}\n`);
    chmodSync(join(checkout, ".git/hooks", hook), 0o755);
  }
  git(checkout, "remote", "add", "origin", `${other.url}/acme/server`);
  git(checkout, "config", `url.${other.url}/.insteadOf`, `${server.url}/`);
  git(checkout, "config", "http.proxy", other.url);
  git(checkout, "config", "core.fsmonitor", program);
  git(checkout, "config", "credential.helper", `!${program}`);
  const remote = { url: `${server.url}/acme/server`, token: TOKEN };
  expect(await pullRequestBase(checkout, event(), remote)).toMatchObject({ state: "found" });
  expect(server.seen.at(-1)).toBe(`x-access-token:${TOKEN}`);
  expect(new Set(other.seen)).toEqual(new Set([""]));
  expect(existsSync(mark)).toBe(false);
});
