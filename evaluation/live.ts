/** Whole runs between identical sides, as a user starts them: every `better` or `worse` is false. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ComparedRow } from "../src/results/comparison.js";
import { readResults } from "../src/results/read.js";

export interface LiveOptions {
  readonly root: string;
  readonly servers: readonly string[];
  /** Of each run. */
  readonly rows: number;
  readonly runs: number;
  readonly out: string;
  readonly say: (line: string) => void;
}

export interface LiveRow {
  readonly id: string;
  readonly verdict: string;
  readonly pairs: number;
  readonly seconds: number;
}

export interface LiveRun {
  readonly startedAt: string;
  /** Seconds from the first pair to the last; `loadShare` is the share of them under load. */
  readonly measuredSec: number;
  readonly loadShare: number;
  readonly rows: readonly LiveRow[];
}

/** The sides differ by a comment: rows that are identical on both sides would not be measured. */
function app(side: string): string {
  return `# ${side}
BODY = b"x" * 10_000
HEADERS = [(b"content-type", b"text/plain"), (b"content-length", b"10000")]
async def app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": HEADERS})
    await send({"type": "http.response.body", "body": BODY})
`;
}

function scenario({ servers, rows }: LiveOptions): string {
  const lines = Array.from({ length: rows }, (_, i) => {
    const server = servers[i % servers.length];
    return `  - { title: ${server} ${i + 1}, server: ${server}, app: steady, request: live-body, connections: 64 }`;
  });
  return `title: Identical sides\nlabel: Row\nrows:\n${lines.join("\n")}\n`;
}

const SERVERS_FILE = `apps:
  steady: { interface: asgi, path: ../app }
requests:
  live-body: { path: /, expect: { body: { repeat: x, size: 10000 } } }
`;

export async function live(options: LiveOptions): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "server-bench-live-"));
  try {
    for (const side of ["base", "head"]) await writeSide(join(folder, side), app(side), options);
    const runs: LiveRun[] = [];
    for (let number = 1; number <= options.runs; number += 1) {
      runs.push(await oneRun(folder, options));
      await writeFile(options.out, `${JSON.stringify(runs, null, 2)}\n`);
      options.say(`${number} of ${options.runs} runs`);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function writeSide(side: string, text: string, options: LiveOptions): Promise<void> {
  await mkdir(join(side, "app"), { recursive: true });
  await mkdir(join(side, "bench"), { recursive: true });
  await writeFile(join(side, "app/app.py"), text);
  await writeFile(join(side, "bench/servers.yml"), SERVERS_FILE);
  await writeFile(join(side, "bench/live.yml"), scenario(options));
}

async function oneRun(folder: string, { root }: LiveOptions): Promise<LiveRun> {
  const [base, head, out] = [join(folder, "base"), join(folder, "head"), join(folder, "out")];
  const args = ["run", "live", "--scenarios", "bench", "--base", base, "--out", out];
  const child = spawn(process.execPath, [join(root, "dist/cli.js"), ...args], { cwd: head, stdio: "inherit" });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`run live ended with ${code}`);
  const { run, comparison } = await readResults(join(out, "results.json"));
  return {
    ...{ startedAt: run.startedAt, measuredSec: run.measuredSec, loadShare: run.loadShare },
    rows: (comparison?.rows ?? []).map(rowOf),
  };
}

function rowOf({ id, verdict, seconds, recorded = [] }: ComparedRow): LiveRow {
  return { id, verdict, seconds, pairs: recorded.length };
}
