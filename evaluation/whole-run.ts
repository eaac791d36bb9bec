/** The command line as an evaluation runs it. */
import { type SpawnOptions, spawn } from "node:child_process";
import { once } from "node:events";

const SIGNALS = ["SIGINT", "SIGTERM"] as const;

/** Whoever ends the evaluation ends the run that it waits for. @throws Error where the run does not end with 0 */
export async function wholeRun(argv: readonly string[], options: Pick<SpawnOptions, "cwd" | "env">): Promise<void> {
  const child = spawn(process.execPath, argv, { ...options, stdio: ["ignore", "ignore", "inherit"] });
  const end = (signal: NodeJS.Signals): void => void child.kill(signal);
  for (const signal of SIGNALS) process.once(signal, end);
  try {
    const [code] = await once(child, "close");
    if (code !== 0) throw new Error(`run ${argv[2] ?? ""} ended with ${code}`);
  } finally {
    for (const signal of SIGNALS) process.off(signal, end);
  }
}
