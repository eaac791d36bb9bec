/** What py-spy or the server can do wrong while a server is sampled: each is a reason, and the run continues. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sampleServer } from "../../src/measure/profile/sample-server.js";
import { readProc, readStat } from "../../src/process/proc.js";
import { findRun } from "../../src/process/sweep.js";
import { runIn } from "../support/own-set.js";
import { profiledSide, samplingContext, scriptedPySpy, testPySpy } from "../support/profiled.js";
import { endWithoutTraces, eventually, type TestRun, testRun } from "../support/run.js";

const TIMEOUT_MS = 300_000;
const pySpy = await testPySpy();
const SHORT = { sampledSec: 1 };

let run: TestRun;
beforeEach(() => {
  run = testRun();
});
afterEach(() => endWithoutTraces(run, /^bin/));

describe("py-spy", { timeout: TIMEOUT_MS }, () => {
  it("is an ancestor of the server and its workers, and is not counted as the server", async () => {
    const note = join(run.tempDir, "bin", "note");
    const sampler = await scriptedPySpy(run, `echo $$ > "${note}"; exec ${pySpy.path} "$@"`);
    const sampled = sampleServer(profiledSide(10, "workers"), samplingContext(run, sampler, SHORT));
    await eventually("py-spy runs", () => readFileOr(note) !== "", 20);
    const pid = Number(readFileOr(note));
    await eventually("it is py-spy", () => readProc(`${pid}/cmdline`)?.startsWith(pySpy.path) ?? false, 20);
    const workers = findRun(run).filter((one) => readProc(`${one.pid}/cmdline`)?.includes("profiled.py"));
    const servers = workers.filter((one) => one.pid !== pid);
    expect(servers.length).toBeGreaterThanOrEqual(2);
    for (const one of servers) expect(ancestors(one.pid)).toContain(pid);
    expect(await sampled).toMatchObject({ state: "sampled" });
  });

  it.each([
    [
      "crashes",
      "echo 'Error: out of luck' >&2; kill -SEGV $$",
      /^py-spy ended with (signal SIGSEGV|exit code 139): Error: out of luck$/,
    ],
    ["fails", "echo 'Error: no such process' >&2; exit 1", /^py-spy ended with exit code 1: Error: no such process$/],
    ["hangs", "exec sleep 600", /^py-spy did not end in time and was ended$/],
    ["writes nothing", "exit 0", /^py-spy ended with exit code 0$/],
  ])("that %s is a reason", async (_, script, reason) => {
    const outcome = await sampleServer(
      profiledSide(10),
      samplingContext(run, await scriptedPySpy(run, script), { ...SHORT, endLimitMs: 1000 }),
    );
    expect(outcome).toEqual({ state: "failed", reason: expect.stringMatching(reason) });
  });

  it("that may not look into the server names the setting", async () => {
    // Root needs no permission while it has all capabilities.
    const drop = process.getuid?.() === 0 ? "setpriv --bounding-set -sys_ptrace --inh-caps -sys_ptrace --" : "";
    const sampler = await scriptedPySpy(run, `exec ${drop} ${pySpy.path} "$@"`);
    const outcome = await sampleServer(profiledSide(10, "hidden"), samplingContext(run, sampler, SHORT));
    expect(outcome).toEqual({ state: "failed", reason: expect.stringContaining("kernel.yama.ptrace_scope") });
    expect(outcome).toEqual({ state: "failed", reason: expect.stringContaining("--cap-add SYS_PTRACE") });
  });
});

describe("a server", { timeout: TIMEOUT_MS }, () => {
  it("that ends while it is sampled is a reason", async () => {
    const outcome = await sampleServer(profiledSide(10, "dies"), samplingContext(run, pySpy));
    expect(outcome).toEqual({ state: "failed", reason: "the server ended while it was sampled" });
  });

  it("that does not start is a reason, with how it ended", async () => {
    const { row, ready } = profiledSide(10);
    const broken = { ...row, server: { ...row.server, command: ["python3", "-c", "raise SystemExit(3)"] } };
    const outcome = await sampleServer({ row: broken, ready }, samplingContext(run, pySpy));
    expect(outcome).toEqual({ state: "failed", reason: expect.stringMatching(/did not get ready.*exit code 3/) });
  });
});

describe("--profile-rows", () => {
  it.each([
    [["--profile-rows", "mine/slow"], /--profile-rows has no meaning without a base: give --base REF or DIR/],
    [["--profile-rows", "none,a"], /invalid --profile-rows "none,a": none excludes all rows/],
    [["--base", ".", "--profile-rows", "interfaces/x"], /--profile-rows: unknown row "interfaces\/x"/],
  ])("%j is wrong input", async (args, message) => {
    const out = join(run.tempDir, "out");
    const { code, errors } = await runIn(process.cwd(), out, "interfaces", ...args);
    expect(errors).toMatch(message);
    expect(code).toBe(2);
  });
});

function readFileOr(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch {
    return "";
  }
}

function ancestors(pid: number): number[] {
  const parent = readStat(pid)?.parent ?? 0;
  return parent <= 1 ? [] : [parent, ...ancestors(parent)];
}
