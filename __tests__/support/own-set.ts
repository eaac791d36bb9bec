/** A user's checkout: an app, a set of rows on granian or a small server, and the real command line run on it from source. */
import { readFileSync } from "node:fs";
import { dirname } from "node:path";
import { PassThrough } from "node:stream";
import { main } from "../../src/commands/main.js";
import { ROOT } from "./root.js";
import { serverScript } from "./run.js";

export { ROOT };

/** @param burn turns of an empty loop per request */
export function app(burn: number, comment = ""): string {
  return `${comment}
async def app(scope, receive, send):
    for _ in range(${burn}):
        pass
    body = b"Hello"
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": body})
`;
}

/**
 * Every request waits: a load of 16 connections leaves the CPUs to the tests that run beside it.
 * @param waitMs milliseconds
 * @param burn turns of an empty loop besides
 */
export function waitingApp(comment = "", waitMs = 20, burn = 0): string {
  return `${comment}
WAIT_SEC = ${waitMs / 1000}

async def app(scope, receive, send):
    # servers/tiny.py does so itself.
    if "waited" not in scope:
        import asyncio
        await asyncio.sleep(WAIT_SEC)
    for _ in range(${burn}):
        pass
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"Hello"})
`;
}

/** Takes half as long again as `waitingApp`, and does more work: a longer wait alone takes more pairs to be believed. */
export function slowerApp(comment = ""): string {
  return waitingApp(comment, 32, 500);
}

/** `bench/`: a set `mine` with one row per app, each in a folder of its name. */
export function scenarios(...apps: readonly string[]): Record<string, string> {
  return {
    "bench/servers.yml": `apps:
${apps.map((name) => `  ${name}: { interface: asgi, path: ../${name} }`).join("\n")}
requests:
  greeting: { path: /, expect: { body: { text: Hello } } }
`,
    "bench/mine.yml": `title: Mine
label: App
defaults: { server: granian, request: greeting, connections: 16 }
rows:
${apps.map((name) => `  - { title: ${name}, app: ${name} }`).join("\n")}
`,
  };
}

/** `scenarios` on servers/tiny.py, which starts in no time. Its environment is granian's, so that there is nothing more to install. */
export function tinyScenarios(...apps: readonly string[]): Record<string, string> {
  const files = scenarios(...apps);
  const server = `servers:
  tiny:
    title: Tiny
    distribution: granian
    requires: [granian==2.8.7]
    interfaces: [asgi]
    command: [python, -S, serve.py, "{port}"]
`;
  const text = readFileSync(serverScript("tiny.py"), "utf8");
  return {
    ...files,
    "bench/servers.yml": `${server}${files["bench/servers.yml"]}`,
    "bench/mine.yml": `${files["bench/mine.yml"]}`.replace("server: granian", "server: tiny"),
    ...Object.fromEntries(apps.map((name) => [`${name}/serve.py`, text])),
  };
}

/** `tinyScenarios` whose rows wait on purpose: that their servers idle shows no load generator at its limit. */
export function waitingScenarios(...apps: readonly string[]): Record<string, string> {
  const files = tinyScenarios(...apps);
  return {
    ...files,
    "bench/mine.yml": `${files["bench/mine.yml"]}`.replace("connections: 16", "connections: 16, waits: true"),
  };
}

interface Place {
  readonly cwd: string;
  /** Temporary folders are made there. */
  readonly temp: string;
  readonly env?: NodeJS.ProcessEnv;
  /** What a person answers, each with its line end; without it there is no terminal. */
  readonly typed?: string | undefined;
}

/** The command line from source, in this process. */
export async function runMain({ cwd, temp, env = process.env, typed }: Place, ...args: string[]) {
  let [output, errors] = ["", ""];
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  stdin.end(typed);
  const code = await main(args, {
    ...{ root: ROOT, cwd, env: { ...env, CI: "1", RUNNER_TEMP: temp } },
    stdout: { isTTY: typed !== undefined, write: (text) => (output += text) },
    stderr: { write: (text) => (errors += text) },
    ...(typed !== undefined && { stdin }),
  });
  return { code, output, errors };
}

/** `run ...args` in this folder. @param out where its results go; temporary folders are made beside it */
export async function runIn(cwd: string, out: string, ...args: string[]) {
  return await runMain({ cwd, temp: dirname(out) }, "run", ...args, "--out", out);
}
