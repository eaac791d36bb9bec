/** A server and a set added by data alone, through the real command line: CONTRIBUTING's own example, and a server from scratch. */
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readResults } from "../../src/results/read.js";
import { renderGfm, tablesOf } from "../support/gfm.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
/** An environment is installed, and each row is measured for a second. */
const TIMEOUT_MS = 180_000;

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs the command line as it is committed. */
function cli(...args: string[]): Promise<Ended> {
  const child = spawn(process.execPath, [join(ROOT, "dist", "cli.js"), ...args], { cwd: folder, stdio: "pipe" });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (text) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject).on("close", (code) => resolve({ code, output }));
  });
}

async function write(files: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(folder, name, ".."), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

async function measure(set: string) {
  const { code, output } = await cli("run", set, "--scenarios", folder, "--profile", "quick", "--out", "out");
  expect(code, output).toBe(0);
  const results = await readResults(join(folder, "out", "results.json"));
  const [table = []] = tablesOf(renderGfm(await readFile(join(folder, "out", "report.md"), "utf8")));
  return { results, table, output };
}

const SERVER = `"""A server of the standard library that keeps connections open."""
import importlib
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import six

host, port, target = sys.argv[1:]
module, name = target.split(":")
sys.path.insert(0, ".")
answer = getattr(importlib.import_module(module), name)


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # A small answer waits for no acknowledgement.
    disable_nagle_algorithm = True

    def do_GET(self):
        body = six.ensure_binary(answer(self.path))
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


ThreadingHTTPServer((host, int(port)), Handler).serve_forever()
`;

const OWN = {
  "app/hello.py": 'def app(path):\n    return "Hello from " + path\n',
  "app/serve.py": SERVER,
  "servers.yml": `servers:
  tiny:
    title: Tiny
    distribution: six
    requires: [six==1.17.0]
    interfaces: [wsgi]
    command: [python, "{app-dir}/serve.py", "{host}", "{port}", "{target}"]
apps:
  mine: { interface: wsgi, path: app, target: "hello:app" }
requests:
  greeting: { path: /mine, expect: { body: { text: Hello from /mine } } }
`,
  "mine.yml": `title: Mine
label: Server
columns: [requests, rps, failures]
charts: [rps]
rows:
  - { title: Tiny, server: tiny, app: mine, request: greeting, connections: 4 }
`,
};

describe("a folder of one's own", () => {
  it("adds a server, its app, a request and a set", { timeout: TIMEOUT_MS }, async () => {
    await write(OWN);
    const { results, table } = await measure("mine");
    expect(results.cases).toHaveLength(1);
    expect(results.cases[0]).toMatchObject({
      id: "mine/tiny",
      state: "completed",
      connections: 4,
      server: { name: "tiny", title: "Tiny", version: "1.17.0", packages: ["six==1.17.0"] },
      summary: { failures: { total: 0 } },
    });
    expect(table.map((row) => row[0])).toEqual(["Server", "Tiny (c4)"]);
    expect(table[0]).toEqual(["Server", "Total requests", "RPS", "Failures"]);
    expect(await readFile(join(folder, "out", "report.md"), "utf8")).toContain("](charts/mine-rps.svg)");
    expect(await readFile(join(folder, "out", "charts", "mine-rps.svg"), "utf8")).toContain("Tiny (c4)");
  });

  it("says file, line and field of what is wrong in it, and starts nothing", async () => {
    await write({ ...OWN, "mine.yml": OWN["mine.yml"].replace("server: tiny", "server: tinny") });
    const { code, output } = await cli("run", "mine", "--scenarios", folder, "--out", "out");
    expect(code, output).toBe(2);
    expect(output).toMatch(/mine\.yml:6: rows\[0\]: unknown server "tinny"; did you mean "tiny"\?/);
    await expect(readFile(join(folder, "out", "results.json"))).rejects.toThrow("ENOENT");
  });
});

describe("the walk-through of CONTRIBUTING.md", () => {
  it("is what works", { timeout: TIMEOUT_MS }, async () => {
    const text = await readFile(join(ROOT, "CONTRIBUTING.md"), "utf8");
    const [servers = "", set = "", ...more] = [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, yaml]) => yaml);
    const [, name = ""] = /\(here `([\w-]+)\.yml`\)/.exec(text) ?? [];
    expect({ more, name }).toEqual({ more: [], name: "threads" });
    expect(text).toContain(`run ${name} --scenarios`);
    await write({ "servers.yml": servers, [`${name}.yml`]: set });
    const { results, table } = await measure(name);
    expect(results.cases.map((result) => [result.state, result.knobs, result.server.title])).toEqual([
      ["completed", { threads: 1 }, "My Waitress"],
      ["completed", { threads: 4 }, "My Waitress"],
    ]);
    expect(table.slice(1).map((row) => row[0])).toEqual(["one thread (c64)", "four threads (c64)"]);
  });
});
