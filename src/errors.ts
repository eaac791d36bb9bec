/** The failures that a command ends with. Everything else is a defect and keeps its stack. */

/** The user's input is wrong: nothing was started, nothing was written. Exit code 2. */
export class InputError extends Error {
  override readonly name = "InputError";
}

/** The machine cannot do it (no Python, no load generator, no network). Exit code 3. */
export class SetupError extends Error {
  override readonly name = "SetupError";
  /** The last lines of the failed command's output, or "". */
  readonly log: string;
  constructor(message: string, log = "") {
    super(message);
    this.log = log;
  }
}

/** Another run measured on this machine for longer than this one would wait. Exit code 4. */
export class MachineBusy extends Error {
  override readonly name = "MachineBusy";
}

/** Why a run ended early; the exit code follows the shell's convention of 128 + signal number. */
export class Interrupted extends Error {
  override readonly name = "Interrupted";
  readonly exitCode: number;
  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.exitCode = signal === "SIGTERM" ? 143 : 130;
  }
}

/** The text of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What lies behind an error: fetch says "fetch failed", and keeps why in its cause. */
export function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof Error ? error.cause : error;
}

/** Such as `ENOENT`; undefined where what was thrown is no failure of the system. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}

const LINE_LIMIT = 500;

/** The same in one line, and not longer than a sentence of ours can hold. */
export function messageLine(error: unknown): string {
  return messageOf(error).replace(/\s+/g, " ").slice(0, LINE_LIMIT);
}
