/** Results that cannot be shown end in a comment that says so, never in none. */
import { InputError, SetupError } from "../errors.js";
import { renderRefused } from "../report/comment/comment.js";
import type { Trust } from "../report/trust/trust.js";
import type { RunComment } from "./comment.js";

/** @throws what `work` throws, after the comment says that the results were refused */
export async function orRefused<T>(
  comment: RunComment | undefined,
  { runUrl, trust }: { readonly runUrl: string; readonly trust: Trust },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await comment?.finish(renderRefused({ reason: reasonOf(error), runUrl, trust }));
    throw error;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof InputError || error instanceof SetupError) return error.message;
  return `the report could not be made of them (${error instanceof Error ? error.name : "unknown error"})`;
}
