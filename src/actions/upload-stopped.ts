/** An error that ends a measurement loses nothing: what was measured before it is uploaded. */
import type { RunHooks, WrittenResults } from "../commands/run/request.js";
import type { ActionContext } from "./context.js";
import { finishInPeace } from "./finish-in-peace.js";
import { uploadResults } from "./upload-results.js";

/**
 * @param measure gets the hook that a run calls when an error ends it
 * @throws what `measure` throws
 */
export async function uploadingIfStopped<T>(
  action: ActionContext,
  measure: (stopped: NonNullable<RunHooks["stopped"]>) => Promise<T>,
): Promise<T> {
  const stopped: WrittenResults[] = [];
  try {
    return await measure((written) => stopped.push(written));
  } catch (error) {
    for (const written of stopped) await finishInPeace(action.log, () => uploadResults(action, written, []));
    throw error;
  }
}
