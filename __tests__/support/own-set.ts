/** A user's checkout: an app for granian, a set of rows, and the real command line run on it from source. */
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { main } from "../../src/commands/main.js";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

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

/** Every request waits for 5 ms: a load of 16 connections leaves the CPUs to the tests that run beside it. */
export function waitingApp(comment = ""): string {
  return `${comment}
import asyncio
async def app(scope, receive, send):
    await asyncio.sleep(0.005)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"Hello"})
`;
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

interface Ended {
  readonly code: number;
  readonly output: string;
  readonly errors: string;
}

/** `run ...args` in this folder. @param out where its results go; temporary folders are made beside it */
export async function runIn(cwd: string, out: string, ...args: string[]): Promise<Ended> {
  let [output, errors] = ["", ""];
  const code = await main(["run", ...args, "--out", out], {
    root: ROOT,
    cwd,
    env: { ...process.env, CI: "1", RUNNER_TEMP: dirname(out) },
    stdout: { write: (text) => (output += text) },
    stderr: { write: (text) => (errors += text) },
  });
  return { code, output, errors };
}
