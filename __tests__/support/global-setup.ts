/** What all tests share. Each project of vitest.config.ts calls it; what the first call did is kept. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, dirname, isAbsolute, join } from "node:path";
import { LOCK_VARIABLE } from "../../src/machine-lock/lock-file.js";
import { supervisingPython } from "../../src/process/interpreter.js";
import { provideOha } from "../../src/provision/generators/oha.js";

export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "server-bench-tests-"));
  // The runs of a test suite do not wait for a run of somebody else on this machine.
  process.env[LOCK_VARIABLE] ??= join(folder, "machine.lock");
  await leaveShim();
  process.env.SERVER_BENCH_TEST_OHA ??= await ohaPath(folder);
  return () => rm(folder, { recursive: true, force: true });
}

/** Puts the Python itself before a shim of it (pyenv): a shim is a shell script, and takes six times the CPU time to start. */
async function leaveShim(): Promise<void> {
  const { PATH = "", HOME = "" } = process.env;
  const python = await supervisingPython({ PATH, HOME });
  const folder = dirname(python);
  if (isAbsolute(python) && !PATH.split(delimiter).includes(folder)) process.env.PATH = `${folder}${delimiter}${PATH}`;
}

/** A real oha, found or installed as the product does it: PATH, cache, release asset, cargo. */
async function ohaPath(tempDir: string): Promise<string> {
  const run = { id: "tests", tempDir, signal: new AbortController().signal };
  const say = (text: string) => process.stderr.write(`setup  ${text}\n`);
  let last = 0;
  const progress = {
    started: (step: string) => say(`${step} ...`),
    update: (step: string, detail: string) => {
      if (Date.now() - last < 15_000) return;
      last = Date.now();
      say(`${step}: ${detail}`);
    },
    finished: () => {},
    failed: (step: string, reason: string) => say(`${step} failed: ${reason}`),
    note: say,
  };
  return (await provideOha({ run, env: process.env, progress })).path;
}
