/** Two runs on one machine: they never measure at the same time. */
import { spawn } from "node:child_process";
import { chmodSync, existsSync, readdirSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { LOCK_VARIABLE } from "../../src/machine-lock/lock-file.js";
import { readResults } from "../../src/results/read.js";
import { startAction } from "../support/action.js";
import { invoke, processesWith, tempFolder } from "../support/cli.js";
import { waitingApp, waitingScenarios } from "../support/own-set.js";
import { writeFiles, writeSide } from "../support/repository.js";

/** Rows that wait leave the CPUs to the tests that run beside. */
const APPS = Array.from({ length: 12 }, (_, i) => `app${i}`);
const checkout = tempFolder();
writeFiles(checkout, {
  ...waitingScenarios(...APPS),
  ...Object.fromEntries(APPS.map((name) => [`${name}/app.py`, waitingApp()])),
});
const ROW = ["mine/app0", "--scenarios", join(checkout, "bench")];
/** Of a run that still measures when others have come and gone. */
const LONG = "mine/*";
const MEASURED = /ok {3}mine\/\S+/;

function startRun(temp: string, lock: string, ...more: readonly string[]) {
  return startRunWith({ TMPDIR: temp, [LOCK_VARIABLE]: lock }, more);
}

function startRunWith(env: Readonly<Record<string, string>>, more: readonly string[] = []) {
  const out = tempFolder();
  const args = ["run", ...ROW, "--profile", "quick", "--out", out, ...more];
  return { out, ...invoke(args, { env }) };
}

/** Processes that have the file open. */
function processesWithOpen(path: string): string[] {
  const opens = (pid: string): boolean => {
    const folder = `/proc/${pid}/fd`;
    try {
      return readdirSync(folder).some((fd) => readlinkSync(join(folder, fd)) === path);
    } catch {
      return false;
    }
  };
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && opens(name));
}

async function timesOf(out: string): Promise<{ readonly started: number; readonly finished: number }> {
  const { run } = await readResults(join(out, "results.json"));
  if (run.finishedAt === null) throw new Error("not finished");
  return { started: Date.parse(run.startedAt), finished: Date.parse(run.finishedAt) };
}

test("the second waits until the first has measured", async () => {
  const lock = join(tempFolder(), "machine.lock");
  const first = startRun(tempFolder(), lock, "mine/app1", "mine/app2");
  await first.printed(MEASURED);
  const second = startRun(tempFolder(), lock);
  await second.printed(
    new RegExp(
      `another run measures on this machine: process ${first.pid} of \\S+, since \\d\\d:\\d\\d UTC \\(mine: \\d benchmarks?\\), (expected to end in about \\d+ s|past its expected end); this run waits for it, 60 min at most`,
    ),
  );
  const [one, two] = await Promise.all([first.ended, second.ended]);
  expect([one.code, two.code]).toEqual([0, 0]);
  expect(two.stdout).toMatch(/setup {2}waiting for another run on this machine: \d+\.\d s/);
  const [ofFirst, ofSecond] = [await timesOf(first.out), await timesOf(second.out)];
  expect(ofSecond.started).toBeGreaterThan(ofFirst.started);
  expect(ofSecond.finished).toBeGreaterThan(ofFirst.finished);
});

test("with --wait 0, or the input wait, the second ends at once, and writes nothing", async () => {
  const lock = join(tempFolder(), "machine.lock");
  const first = startRun(tempFolder(), lock, LONG);
  await first.printed(MEASURED);
  const temp = tempFolder();
  const refused = startRun(temp, lock, "--wait", "0");
  const { code, stderr } = await refused.ended;
  expect(stderr).toContain(`server-bench: another run measures on this machine: process ${first.pid}`);
  expect(code).toBe(4);
  expect(existsSync(join(refused.out, "results.json"))).toBe(false);
  expect(readdirSync(temp)).toEqual([]);
  const inputs = {
    ...{ scenarios: "mine/app0", "scenarios-dir": join(checkout, "bench") },
    ...{ profile: "quick", baseline: "none", wait: "0.01" },
  };
  const action = startAction(inputs, { env: { [LOCK_VARIABLE]: lock } });
  const ended = await action.ended;
  expect(ended.stdout).toMatch(
    /::error::another run measures on this machine, and still does after 0\.01 min: process/,
  );
  expect(ended.code).toBe(1);
  process.kill(first.pid, "SIGINT");
  expect((await first.ended).code).toBe(130);
});

/** Holds the lock as another run would. @returns its file */
async function heldLock(): Promise<string> {
  const lock = join(tempFolder(), "machine.lock");
  const holder = spawn("flock", ["--no-fork", "--exclusive", lock, "sleep", "60"], { stdio: "ignore" });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await expect.poll(() => processesWithOpen(lock)).toHaveLength(1);
  return lock;
}

test("a run whose head cannot be installed waits for nobody, although base can", async () => {
  const root = tempFolder();
  const side = (name: string, requires: string) =>
    writeSide(root, name, {
      "app/app.py": "async def app(scope, receive, send): ...\n",
      "bench/servers.yml": `apps: { mine: { interface: asgi, path: ../app${requires} } }\n`,
      "bench/mine.yml":
        "title: Mine\nlabel: App\ndefaults: { server: granian, request: plaintext }\nrows: [{ title: Mine, app: mine }]\n",
    });
  const base = side("base", "");
  const head = side("head", ', requires: ["server-bench-lacks-this==1"]');
  const args = ["run", "mine", "--scenarios", join(head, "bench"), "--base", base, "--wait", "0"];
  const env = { TMPDIR: tempFolder(), [LOCK_VARIABLE]: await heldLock() };
  const { code, stdout, stderr } = await invoke([...args, "--out", tempFolder()], { cwd: head, env }).ended;
  expect(stderr).not.toContain("another run measures");
  expect(stdout).toContain("server-bench-lacks-this");
  expect(code).toBe(3);
});

test("a run that was killed is waited for until its servers are gone", async () => {
  const lock = join(tempFolder(), "machine.lock");
  const temp = tempFolder();
  const first = startRun(temp, lock, LONG);
  await first.printed(MEASURED);
  const second = startRun(tempFolder(), lock);
  await second.printed(/another run measures on this machine/);
  process.kill(first.pid, "SIGKILL");
  await second.printed(/setup {2}waiting for another run on this machine: /);
  expect(processesWith(temp)).toEqual([]);
  expect(readdirSync(temp)).toEqual([]);
  process.kill(second.pid, "SIGINT");
  expect((await second.ended).code).toBe(130);
});

test("a run that waits can be interrupted, and leaves nothing", async () => {
  const lock = join(tempFolder(), "machine.lock");
  const first = startRun(tempFolder(), lock, LONG);
  await first.printed(MEASURED);
  const temp = tempFolder();
  const second = startRun(temp, lock);
  await second.printed(/another run measures on this machine/);
  process.kill(second.pid, "SIGTERM");
  expect((await second.ended).code).toBe(143);
  expect(readdirSync(temp)).toEqual([]);
  expect(processesWith(temp)).toEqual([]);
  const killed = startRun(temp, lock);
  await killed.printed(/another run measures on this machine/);
  process.kill(killed.pid, "SIGKILL");
  await killed.ended;
  for (let tries = 0; tries < 100 && (processesWith(temp).length > 0 || readdirSync(temp).length > 0); tries += 1)
    await sleep(100);
  expect(processesWith(temp)).toEqual([]);
  expect(readdirSync(temp)).toEqual([]);
  process.kill(first.pid, "SIGINT");
  await first.ended;
});

test("a lock file that was made anew while a run waited is kept locked by its watchdog too", async () => {
  const lock = join(tempFolder(), "machine.lock");
  const holder = spawn("flock", ["--no-fork", "--exclusive", lock, "sleep", "60"], { stdio: "ignore" });
  onTestFinished(() => void holder.kill("SIGKILL"));
  await expect.poll(() => processesWithOpen(lock)).toHaveLength(1);
  const run = startRun(tempFolder(), lock, LONG);
  await run.printed(/another run measures on this machine/);
  rmSync(lock);
  holder.kill("SIGKILL");
  await run.printed(MEASURED);
  // A child that is about to become another program has the file open too.
  await expect.poll(() => processesWithOpen(lock)).toHaveLength(2);
  process.kill(run.pid, "SIGINT");
  expect((await run.ended).code).toBe(130);
});

test("a second signal while the lock is freed does not end the run before its report", async () => {
  const bin = tempFolder();
  writeFileSync(
    join(bin, "flock"),
    `#!/bin/sh\nPATH=\${PATH#*:}\n[ "$1" = -u ] && kill -TERM $PPID && sleep 0.3\nexec flock "$@"\n`,
  );
  chmodSync(join(bin, "flock"), 0o755);
  const lock = join(tempFolder(), "machine.lock");
  const env = { TMPDIR: tempFolder(), [LOCK_VARIABLE]: lock, PATH: `${bin}${delimiter}${process.env.PATH}` };
  const run = startRunWith(env, [LONG]);
  await run.printed(MEASURED);
  process.kill(run.pid, "SIGINT");
  const { code, stdout } = await run.ended;
  expect(code, stdout).toBe(130);
});
