import { expect, it, vi } from "vitest";
import { type ChildRun, childFailure, childTail, runChild } from "../../src/process/child.js";
import { childEnvironment } from "../../src/process/environment.js";
import { findRun } from "../../src/process/sweep.js";
import { type TestRun, testRun } from "../support/run.js";

function child(run: TestRun, argv: string[], change: Partial<ChildRun> = {}): ChildRun {
  const env = childEnvironment(process.env, run.id);
  return { argv, cpuList: "0", env, signal: run.signal, timeoutMs: 10_000, ...change };
}
const DEAF =
  "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)";

it("gives output and exit code", async () => {
  await using run = testRun();
  const code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)";
  const outcome = await runChild(child(run, ["python3", "-c", code]));
  expect(outcome).toEqual({ code: 3, signal: null, timedOut: false, stdout: "out\n", stderr: "err\n" });
  expect(childFailure(outcome, "oha")).toBe("oha ended with exit code 3");
  expect(childTail(outcome)).toBe("err");
});

it("names the limit that ended it", async () => {
  await using run = testRun();
  const outcome = await runChild(child(run, ["sh", "-c", "kill -XFSZ $$"]));
  expect(childFailure(outcome, "oha")).toBe(
    "oha ended with signal SIGXFSZ: a file would have become larger than ulimit -f allows",
  );
});

it("ends one that hangs, even if it ignores TERM", async () => {
  await using run = testRun();
  const onOutput: ChildRun["onOutput"] = (_, __, extend) => extend(100);
  const outcome = await runChild(child(run, ["python3", "-c", DEAF], { timeoutMs: 10_000, onOutput }));
  expect(outcome).toMatchObject({ timedOut: true, signal: "SIGKILL" });
  expect(childFailure(outcome, "oha")).toBe("oha did not end in time and was ended");
  expect(findRun(run)).toEqual([]);
});

it("starts its time limit again where the output asks for that", async () => {
  await using run = testRun();
  const code = "import time; print('half', flush=True); time.sleep(4)";
  const onOutput: ChildRun["onOutput"] = (stdout, _, extend) => {
    if (stdout === "half\n") extend(10_000);
  };
  const outcome = await runChild(child(run, ["python3", "-c", code], { timeoutMs: 3000, onOutput }));
  expect(outcome).toMatchObject({ code: 0, timedOut: false });
});

it("ends it and rejects with the reason of an interruption", async () => {
  await using run = testRun();
  const reason = new Error("interrupted");
  const onOutput = () => run.controller.abort(reason);
  await expect(runChild(child(run, ["python3", "-c", DEAF], { onOutput }))).rejects.toBe(reason);
  expect(findRun(run)).toEqual([]);
  await expect(runChild(child(run, ["true"]))).rejects.toBe(reason);
});

it("names util-linux where taskset is missing", async () => {
  await using run = testRun();
  await expect(runChild(child(run, ["true"], { env: { PATH: run.tempDir } }))).rejects.toThrow("util-linux");
});

it("that ended while this process was stopped has ended in time", async () => {
  await using run = testRun();
  const real = performance.now.bind(performance);
  let stoppedMs = 0;
  using _ = vi.spyOn(performance, "now").mockImplementation(() => real() + stoppedMs);
  const running = runChild(child(run, ["true"], { timeoutMs: 50 }));
  // Longer than the program takes: on waking, the timer comes before the program's end.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  stoppedMs = 25_000;
  expect(await running).toMatchObject({ code: 0, timedOut: false });
});
