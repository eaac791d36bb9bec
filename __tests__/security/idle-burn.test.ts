/**
 * A head that keeps the CPU busy only while it has no request slows base, which runs beside it: it must not look faster.
 * With real granian processes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { readResults } from "../../src/results/read.js";
import { runIn, scenarios } from "../support/own-set.js";
import { writeSide } from "../support/repository.js";

/** At least four pairs of some 5 s, and the installation; other tests may load the machine. */
const TIMEOUT_MS = 300_000;

let temp: string;
beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

/** @param share of one CPU that a thread uses while no request came for 20 ms; 0: there is no thread */
function app(share: number, comment: string): string {
  return `# ${comment}
import threading
import time

last = time.monotonic()


def burn():
    while True:
        if time.monotonic() - last > 0.02:
            end = time.thread_time() + 0.01 * ${share}
            while time.thread_time() < end:
                pass
        time.sleep(0.01 * ${1 - share})


if ${share}:
    threading.Thread(target=burn, daemon=True).start()


async def app(scope, receive, send):
    global last
    last = time.monotonic()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"Hello"})
`;
}

function write(side: string, text: string): string {
  return writeSide(temp, side, { ...scenarios("burner"), "burner/app.py": text });
}

async function compare(base: number, head: number) {
  const baseDir = write("base", app(base, "base"));
  const headDir = write("head", app(head, "head"));
  const args = ["mine", "--scenarios", join(headDir, "bench"), "--base", baseDir, "--budget", "0.5"];
  const { code, output, errors } = await runIn(headDir, join(temp, "out"), ...args, "--profile-rows", "none");
  expect(code, output + errors).toBe(0);
  const { comparison } = await readResults(join(temp, "out/results.json"));
  const [row] = comparison?.rows ?? [];
  if (!row) throw new Error(output + errors);
  return row;
}

it("calls a head worse that burns 30 % of a CPU while idle, and never better", { timeout: TIMEOUT_MS }, async () => {
  const row = await compare(0, 0.3);
  const shown = JSON.stringify({ ...row, recorded: undefined });
  expect(row.verdict, shown).toBe("worse");
  expect(row.metrics.throughput?.verdict, shown).not.toBe("better");
  expect(row.idleCpu?.head, shown).toBeGreaterThan(0.15);
  expect(row.notes?.join("\n")).toMatch(/head uses \d+ % of a CPU while idle/);
});

it("says nothing of 2 % on both sides", { timeout: TIMEOUT_MS }, async () => {
  const row = await compare(0.02, 0.02);
  expect(row.idleCpu).toMatchObject({ worse: false });
  expect(row.notes?.join("\n") ?? "").not.toMatch(/while idle/);
});
