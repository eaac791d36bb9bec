/** What a measured server can read of the job's tokens, through the bundle: a real server looks for them in /proc. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startAction } from "../support/action.js";
import { GitHubDouble } from "../support/github/double.js";
import { scenarios } from "../support/own-set.js";
import { commit, newRepository } from "../support/repository.js";

const TIMEOUT_MS = 240_000;
/** In every token of these tests. The app has it in two parts, so that its own source does not hold it. */
const MARK = ["canary", "token"] as const;
const token = (name: string) => `${MARK.join("-")}-${name}`;

let temp: string;
let github: GitHubDouble;
beforeEach(async () => {
  temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  github = await GitHubDouble.start({ token: token("input") });
});
afterEach(async () => {
  rmSync(temp, { recursive: true, force: true });
  await github[Symbol.asyncDispose]();
});

/** An app that, at its first request, searches every process that it may read, and writes what it found. */
const searching = (report: string) => `
import glob, json, os, stat, threading

MARK = ("${MARK[0]}" + "-" + "${MARK[1]}").encode()
started = threading.Lock()

def read(path):
    with open(path, "rb") as file:
        return file.read(1_000_000)

def search():
    environs, found = {}, []
    for folder in glob.glob("/proc/[0-9]*"):
        for name in ("environ", "cmdline"):
            try:
                text = read(f"{folder}/{name}")
            except OSError:
                continue
            if name == "environ":
                environs[folder] = [entry.split(b"=")[0].decode() for entry in text.split(b"\\0")]
            if MARK in text:
                found.append(f"{folder}/{name}")
        for link in glob.glob(f"{folder}/fd/*"):
            try:
                # Reading a pipe would take from it what another process waits for.
                if stat.S_ISREG(os.stat(link).st_mode) and MARK in read(link):
                    found.append(link)
            except OSError:
                continue
    with open(${JSON.stringify(report)} + ".part", "w") as file:
        json.dump({"environs": environs, "found": found}, file)
    os.rename(${JSON.stringify(report)} + ".part", ${JSON.stringify(report)})

async def app(scope, receive, send):
    if started.acquire(blocking=False):
        threading.Thread(target=search).start()
    body = b"Hello"
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": body})
`;

interface Search {
  /** Names of the variables, by the folder of the process. */
  readonly environs: Readonly<Record<string, readonly string[]>>;
  /** Files of /proc that hold a token. */
  readonly found: readonly string[];
}

async function measure(env: Readonly<Record<string, string>>) {
  const report = join(temp, "search.json");
  const workspace = newRepository(join(temp, "checkout"));
  const headSha = commit(workspace, { ...scenarios("hello"), "hello/app.py": searching(report) });
  const run = github.addRun({ headSha, status: "in_progress", conclusion: null });
  const inputs = { scenarios: "mine", "scenarios-dir": "bench", profile: "quick", token: token("input") };
  const job = { ...(await github.jobEnv(run)), ...github.runtimeEnv(run.id), ...env };
  const action = startAction(inputs, { cwd: workspace, env: job });
  const ended = await action.ended;
  const search: Search = existsSync(report) ? JSON.parse(readFileSync(report, "utf8")) : { environs: {}, found: [] };
  return { ...ended, action, search };
}

describe("a server under test", () => {
  it("finds no token in the environment, the command line or the open files of any process", {
    timeout: TIMEOUT_MS,
  }, async () => {
    const { code, stdout, action, search } = await measure({
      GITHUB_TOKEN: token("github"),
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: token("id"),
      UV_PUBLISH_TOKEN: token("publish"),
      NO_PROXY: "127.0.0.1",
      HTTPS_PROXY: `http://user:${token("proxy")}@127.0.0.1:9`,
    });
    expect(code, stdout).toBe(0);
    expect(search.found).toEqual([]);
    // It looked at the action itself, whose environment has what belongs to no secret.
    expect(search.environs[`/proc/${action.pid}`]).toContain("PATH");
    expect(search.environs[`/proc/${action.pid}`]).not.toContain("ACTIONS_RUNTIME_TOKEN");
    expect(stdout.match(/^server-bench$/gm)).toHaveLength(1);
    expect(stdout).toMatch(/^note {3}HTTPS_PROXY is set, but Node uses no proxy for GitHub .*NODE_USE_ENV_PROXY: 1/m);
    // The tokens still work: the results went up with one, and outputs and summary were written.
    expect(github.state.archives).toHaveLength(1);
    expect(action.outputs).toMatchObject({ completed: "1", "artifact-id": expect.stringMatching(/^\d+$/) });
    expect(action.summary).toContain("hello");
  });
});

describe("a Node that cannot replace its process", () => {
  it("measures, and says in the log what other processes can read", { timeout: TIMEOUT_MS }, async () => {
    const without = "--import=data:text/javascript,delete%20process.execve";
    const { code, stdout, search } = await measure({ NODE_OPTIONS: without });
    expect(code, stdout).toBe(0);
    expect(search.found).not.toEqual([]);
    expect(stdout).toMatch(/^note {3}processes of the same user can read this job's tokens in \/proc: Node /m);
  });
});

describe("an operating system that cannot replace a process", () => {
  it.each([
    { what: "execve fails", options: { NODE_OPTIONS: "--import=data:text/javascript,process.execve=()=>null.no" } },
    { what: "no file can be written", options: { RUNNER_TEMP: "/nowhere" } },
  ])("is no reason to stop: $what", async ({ options }) => {
    const action = startAction({ command: "bogus", token: token("input") }, { env: options });
    const { stdout } = await action.ended;
    expect(stdout).toMatch(
      /^server-bench\nnote {3}processes of the same user can read .*: the process was not replaced: /,
    );
    expect(stdout).toContain('::error::invalid command "bogus"');
  });
});

describe("a child process", () => {
  const SOURCES = fileURLToPath(new URL("../../src", import.meta.url));
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
  const calls = files.flatMap((file) => {
    const text = readFileSync(join(SOURCES, file), "utf8");
    return [...text.matchAll(/\b(?:spawn|spawnSync|execFile|execFileSync|fork)\((?=["\w])[^;]*;/g)].map(([call]) => ({
      file,
      call,
    }));
  });

  it("gets an environment that is chosen for it, never the whole one", () => {
    expect(calls.length).toBeGreaterThan(4);
    expect(calls.filter(({ call }) => !/\benv\b/.test(call))).toEqual([]);
  });
});
