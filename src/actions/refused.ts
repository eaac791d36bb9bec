/** If results cannot be shown, the comment says so. */
import { InputError, SetupError } from "../errors.js";
import { machineFault } from "../messages/machine-fault.js";
import { renderRefused } from "../report/comment/comment.js";
import type { Trust } from "../report/trust/trust.js";
import type { RunComment } from "./comment.js";

/** For annotations, where it stands in the name of the default branch's workflow. */
const REFUSED = "the results were refused: they could not be read, merged or shown. The log has the reason.";

/**
 * @throws what `work` throws, after the comment says that the results were refused. An error may quote them: if a pull
 * request's run made them, its words are only for the log.
 */
export async function orRefused<T>(
  comment: RunComment | undefined,
  { runUrl, trust }: { readonly runUrl: string; readonly trust: Trust },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await comment?.finish(renderRefused({ reason: reasonOf(error), runUrl, trust }));
    throw trust.kind === "own" || machineFault(error) ? error : new SetupError(REFUSED, detailsOf(error));
  }
}

function detailsOf(error: unknown): string {
  if (error instanceof InputError) return error.message;
  if (error instanceof SetupError) return `${error.message}\n${error.log}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function reasonOf(error: unknown): string {
  if (error instanceof InputError || error instanceof SetupError) return error.message;
  return `the report could not be made of them (${error instanceof Error ? error.name : "unknown error"})`;
}
