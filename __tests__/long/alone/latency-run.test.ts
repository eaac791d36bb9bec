/** `run --base DIR --latency` from the command line to the report. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { main } from "../../../src/commands/main.js";
import { readResults } from "../../../src/results/read.js";
import { sideFolders } from "../../support/side-folders.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
/** Few pairs of one row, some 8 s each, and the installation. */
const TIMEOUT_MS = 300_000;

const { path, write } = sideFolders();

/** Every request waits for so many milliseconds: latency grows, CPU per request hardly does. */
function app(sleepMs: number): string {
  return `import asyncio
async def app(scope, receive, send):
    await asyncio.sleep(${sleepMs / 1000})
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"Hello"})
`;
}

function scenarios(row: string): Readonly<Record<string, string>> {
  return {
    "bench/servers.yml": `apps:
  waiting: { interface: asgi, path: ../app }
requests:
  greeting: { path: /, expect: { body: { text: Hello } } }
`,
    "bench/mine.yml": `title: Mine
label: App
defaults: { server: granian, app: waiting, request: greeting, connections: 16, waits: true }
rows:
  - { title: waiting${row} }
`,
  };
}

async function run(cwd: string, ...args: string[]) {
  let [output, errors] = ["", ""];
  const code = await main(["run", "mine", "--scenarios", join(cwd, "bench"), ...args, "--out", path("out")], {
    ...{ root: ROOT, cwd, env: { ...process.env, CI: "1" } },
    stdout: { write: (text) => (output += text) },
    stderr: { write: (text) => (errors += text) },
  });
  return { code, output, errors };
}

/** Room for the first test of a row, on a busy machine too. */
const SHORT = ["--budget", "3", "--profile-rows", "none"];

describe("run --base DIR --latency", () => {
  it("finds that answers take longer, at one rate in all pairs", { timeout: TIMEOUT_MS }, async () => {
    const base = write("base", { ...scenarios(""), "app/app.py": app(5) });
    const head = write("head", { ...scenarios(""), "app/app.py": app(9) });
    const { code, output, errors } = await run(head, "--base", base, "--latency", ...SHORT);
    expect(code, output + errors).toBe(0);
    const { comparison, run: meta } = await readResults(path("out/results.json"));
    const [row] = comparison?.rows ?? [];
    expect(row?.metrics.latencyP50, output).toMatchObject({ verdict: "worse" });
    // A sleep of 5 ms may end a little early.
    expect(row?.metrics.latencyP50?.base).toBeGreaterThan(4.9);
    expect(Object.keys(row?.metrics ?? {})).toContain("latencyP99");
    const rates = row?.recorded?.flatMap(({ slices }) => slices.flatMap(({ open }) => (open ? [open.ratePerSec] : [])));
    expect(new Set(rates).size).toBe(1);
    expect(meta.command).toContain("--latency");
    const report = readFileSync(path("out/report.md"), "utf8");
    expect(report).toMatch(/latency p50 \+\d+\.\d % [±(]/);
    expect(report).toContain("coordinated omission");
  });

  it.each([
    ["", ["--latency"], /--latency has no meaning without a base: give --base REF/],
    [
      ", generator: wrk",
      ["--base", "../head", "--latency"],
      /--latency: the row "mine\/waiting" is loaded by wrk, which/,
    ],
    [
      ", generator: wrk, latency: true",
      ["--base", "../head"],
      /mine\.yml:5.*: the row "mine\/waiting" is loaded by wrk, which cannot hold a fixed rate/,
    ],
  ])("refuses%s %j before anything is started", async (row, args, message) => {
    const head = write("head", { ...scenarios(row), "app/app.py": app(0) });
    const { code, errors } = await run(head, ...args);
    expect(errors).toMatch(message);
    expect(code).toBe(2);
    expect(existsSync(path("out"))).toBe(false);
  });
});
