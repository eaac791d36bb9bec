/** A program that the tool starts crashes, hangs, prints megabytes, or answers garbage. */
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "../fault.js";
import type { Random } from "../random.js";
import { findBelow, processesOf, type Start, sharedCache, type Tool, type World } from "../world.js";

/** In a shell. */
const MISBEHAVIOURS: Readonly<Record<string, string>> = {
  crashes: "kill -SEGV $$",
  "ends with an error": "echo boom >&2; exit 7",
  hangs: "exec sleep 600",
  "prints megabytes": "head -c 100000000 /dev/zero | tr '\\0' 'x'; exit 0",
  "prints megabytes to stderr": "head -c 100000000 /dev/zero | tr '\\0' 'x' >&2; exit 1",
  "answers garbage": 'printf \'{"summary": {"total": 1e999, "__proto__": [[\'; exit 0',
  "answers nothing": "exit 0",
};

/** A program of this name that is right for its first calls, and for `--version`. */
function wrap(world: World, name: string, real: string, mode: string, random: Random): Start {
  const bin = join(world.root, "bin");
  const count = join(world.root, `${name}.count`);
  mkdirSync(bin, { recursive: true });
  const script = `#!/bin/sh
case " $* " in *" --version "*) exec ${real} "$@" ;; esac
echo x >> ${count}
if [ "$(wc -l < ${count})" -gt ${random.between(0, 5)} ]; then ${MISBEHAVIOURS[mode]}; fi
exec ${real} "$@"
`;
  writeFileSync(join(bin, name), script);
  chmodSync(join(bin, name), 0o755);
  return { bin };
}

function realOf(name: string): string {
  const found = findBelow(join(sharedCache(), name), name);
  if (found === undefined) throw new Error(`no ${name} in ${sharedCache()}: run the tool once`);
  return found;
}

const ohaFaults = Object.keys(MISBEHAVIOURS).map(
  (mode): Fault => ({
    name: `oha ${mode}`,
    kinds: ["run", "paired"],
    codes: [0, 3],
    withinSec: 150,
    prepare: (world, random) => wrap(world, "oha", realOf("oha"), mode, random),
  }),
);

/** uv may take minutes to build a package, so that one that hangs is waited for: somebody ends the run. */
const uvFaults = Object.keys(MISBEHAVIOURS).map(
  (mode): Fault => ({
    name: `uv ${mode}`,
    kinds: ["setup", "run"],
    codes: mode === "hangs" ? [0, 1, 3, 143] : [0, 3],
    withinSec: 100,
    prepare: (world, random) => {
      const start = wrap(world, "uv", realOf("uv"), mode, { ...random, between: () => random.between(0, 1) });
      return { ...start, env: { SERVER_BENCH_CACHE: join(world.root, "empty") }, bin: withOha(world, start.bin) };
    },
    ...(mode === "hangs" && {
      strike: (_: World, tool: Tool) => void setTimeout(() => tool.child.kill("SIGTERM"), 3000),
    }),
  }),
);

/** The load generator is not what is tried here. */
function withOha(world: World, bin = join(world.root, "bin")): string {
  const script = `#!/bin/sh\nexec ${realOf("oha")} "$@"\n`;
  writeFileSync(join(bin, "oha"), script);
  chmodSync(join(bin, "oha"), 0o755);
  return bin;
}

const VALGRIND = "/usr/bin/valgrind";

const valgrindFaults = ["crashes", "ends with an error", "hangs", "prints megabytes", "answers garbage"].map(
  (mode): Fault => ({
    name: `Valgrind ${mode}`,
    needs: { what: VALGRIND, isHere: () => existsSync(VALGRIND) },
    kinds: ["run"],
    codes: [0, 3],
    withinSec: 200,
    prepare: (world, random) => ({
      ...wrap(world, "valgrind", VALGRIND, mode, { ...random, between: () => 0 }),
      args: ["--metrics", "instructions"],
    }),
  }),
);

/** Of its cache the tool takes no py-spy with another digest, so the right one is struck while it samples. */
const pySpyFaults = (["SIGKILL", "SIGSTOP"] as const).map(
  (signal): Fault => ({
    name: `py-spy gets ${signal} while it samples`,
    kinds: ["paired"],
    codes: [0],
    withinSec: 200,
    prepare: () => ({ args: ["--profile-rows", "mine/a"] }),
    strike: async (world, tool, random) => {
      for (;;) {
        const pid = await samplerOf(world, tool);
        if (pid === undefined) return false;
        // It reads symbols for a second, then it samples for some four.
        await sleep(random.between(0, 4000));
        if (struck(pid, signal)) return true;
      }
    },
  }),
);

/** Waits for the next one. @returns undefined where the tool ended before */
async function samplerOf(world: World, { child }: Tool): Promise<number | undefined> {
  while (child.exitCode === null && child.signalCode === null) {
    const found = processesOf(world.root).find(
      ({ pid, command }) => / record /.test(command) && nameOf(pid) === "py-spy",
    );
    if (found) return found.pid;
    await sleep(50);
  }
  return undefined;
}

/** @returns whether it was still there */
function struck(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch {
    return false;
  }
}

/** "" for a process that has ended. */
function nameOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/comm`, "utf8").trim();
  } catch {
    return "";
  }
}

export const TOOL_FAULTS: readonly Fault[] = [...ohaFaults, ...uvFaults, ...valgrindFaults, ...pySpyFaults];
