/** Why a step fails: one line for the annotation, and for the log what is needed to find the cause. */
import { InputError, Interrupted, SetupError } from "../errors.js";
import { plainText } from "../report/text/escape.js";

export interface StepFailure {
  readonly line: string;
  /** May hold what other programs printed. */
  readonly details: readonly string[];
}

export function explainFailure(thrown: unknown): StepFailure {
  if (thrown instanceof InputError || thrown instanceof Interrupted)
    return { line: plainText(thrown.message), details: [] };
  if (thrown instanceof SetupError) return { line: plainText(thrown.message), details: linesOf(thrown.log) };
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return {
    line: plainText(`a defect of server-bench, please report it with the stack in the log: ${error.message}`),
    details: linesOf(error.stack ?? error.message),
  };
}

function linesOf(text: string): string[] {
  return text.split(/\r?\n|\r/).filter((line) => line.trim() !== "");
}
