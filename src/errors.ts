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
