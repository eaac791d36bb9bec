/** One command of the user's: run to its end, with a time limit, and ended with all that it started. */
import { type ServerExit, type ServerStart, ServerStartError, startServer } from "../../process/group.js";
import { limitOver } from "../../process/limit.js";
import { LinkedAbort } from "../../process/linked-abort.js";
import type { RunContext } from "../../process/run.js";

export type CommandEnd =
  | { readonly state: "ended"; readonly exit: ServerExit; readonly log: string }
  | { readonly state: "late"; readonly log: string }
  /** It could not be started at all. */
  | { readonly state: "unstarted"; readonly reason: string };

/** @throws the run's abort reason */
export async function runCommand(start: ServerStart, limitSec: number, run: RunContext): Promise<CommandEnd> {
  run.signal.throwIfAborted();
  try {
    await using process = await startServer(start, run);
    using over = new LinkedAbort(run.signal);
    const first = await Promise.race([process.exited, limitOver(limitSec * 1000, over.signal)]);
    over.abort();
    run.signal.throwIfAborted();
    const log = process.logTail();
    return first === undefined ? { state: "late", log } : { state: "ended", exit: first, log };
  } catch (error) {
    if (!(error instanceof ServerStartError)) throw error;
    return { state: "unstarted", reason: error.message };
  }
}

/** As one would type it. */
export function shown(command: readonly string[]): string {
  return `\`${command.map((word) => (/^[\w@%+=:,./~{}-]+$/.test(word) ? word : JSON.stringify(word))).join(" ")}\``;
}

/** The line that says most: of a traceback the exception, which Python prints last. */
export function lastLine(log: string): string {
  return log.trimEnd().split("\n").at(-1)?.trim() ?? "";
}
