/** Why a step fails: one line for the annotation, and details for the log. */
import { InputError, Interrupted, MachineBusy, SetupError } from "../errors.js";
import { machineFault } from "../messages/machine-fault.js";
import { plainText } from "../report/text/escape.js";

export interface StepFailure {
  readonly line: string;
  /** May hold what other programs printed. */
  readonly details: readonly string[];
}

export function explainFailure(given: unknown): StepFailure {
  const thrown = machineFault(given) ?? given;
  if (thrown instanceof InputError || thrown instanceof Interrupted || thrown instanceof MachineBusy)
    return { line: oneLine(thrown.message), details: [] };
  if (thrown instanceof SetupError) return { line: oneLine(thrown.message), details: linesOf(thrown.log) };
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return {
    line: plainText(`a defect of server-bench, please report it with the stack in the log: ${error.message}`),
    details: linesOf(error.stack ?? error.message),
  };
}

/** A scenario file can have several problems, each on a line of its own. */
function oneLine(message: string): string {
  return plainText(linesOf(message).join("; "));
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n|\r/).filter((line) => line.trim() !== "");
}
