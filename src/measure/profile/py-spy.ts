/** py-spy: its command line, and what its messages mean. */
import { formatCpuList } from "../machine/cpus.js";

/**
 * Samples per second. A sample with native frames takes py-spy 1 to 3 ms of its own CPU, and stops the server for a part of
 * that: at 200 a second a server at half of its throughput still holds its rate, at 500 it does not (tried with uvicorn).
 */
const SAMPLES_PER_SEC = 200;

/**
 * `native`: every thread that works, also in libraries. py-spy stops the threads one after the other: while the first ones stand still, those
 * of a pool run out of work. A function of the pool that took 80 % of the time had 9 % of the samples (uvicorn, 40 threads).
 * `lock`: the thread that holds the interpreter's lock, of a process that goes on. Libraries and system calls without the lock are not seen.
 */
export type SamplingMode = "native" | "lock";

const MODES: Readonly<Record<SamplingMode, readonly string[]>> = {
  native: ["--native"],
  lock: ["--nonblocking", "--gil"],
};

interface Sampling {
  readonly mode: SamplingMode;
  readonly program: string;
  readonly cpus: readonly number[];
  readonly seconds: number;
  /** File for the collapsed stacks. */
  readonly stacks: string;
}

/** `{pid}` stands for the process to sample. */
export function pySpyCommand({ mode, program, cpus, seconds, stacks }: Sampling): string[] {
  return [
    // Why it cannot look into a process is a warning, which it does not print by itself.
    ...["env", "RUST_LOG=warn", "taskset", "-c", formatCpuList(cpus), program, "record"],
    ...[...MODES[mode], "--subprocesses", "--function", "--full-filenames", "--format", "raw"],
    ...["--rate", String(SAMPLES_PER_SEC), "--duration", String(seconds), "--output", stacks, "--pid", "{pid}"],
  ];
}

const REFUSED =
  "Linux refused to let py-spy look into the server: set kernel.yama.ptrace_scope to 0 or 1 (`sysctl kernel.yama.ptrace_scope=1`); in a container also give it --cap-add SYS_PTRACE";

/** The second one: /proc/PID/exe of a process that may not be looked into. The process lives, so it is not gone. */
const NO_PERMISSION = /permission denied|operation not permitted|SYS_PTRACE|os error (1|13)\b|process executable name/i;

/** Why there are no stacks. @param log its last lines */
export function pySpyFailure(ended: string, log: string): string {
  if (NO_PERMISSION.test(log)) return REFUSED;
  const [, cause] = /Failed to profile python from process \d+: (.+)/.exec(log) ?? [];
  const lines = log.split(/[\r\n]+/).map((line) => line.replace(/^py-spy>\s*/, "").trim());
  const said = cause ?? lines.find((line) => line.startsWith("Error:")) ?? lines.findLast((line) => line !== "");
  return `py-spy ended with ${ended}${said === undefined ? "" : `: ${said}`}`;
}
