/** The settings of a recording, evaluated by a worker on each CPU. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { Recording } from "../recording/recording.js";
import { type Cell, settingsOf } from "./evaluate.js";
import type { WorkerTask } from "./worker.js";

/**
 * The same cells as those of `evaluate`, in the same order.
 * @param module the bundled worker
 * @throws what a worker throws
 */
export async function evaluateInParallel(
  recording: Recording,
  { reports, seed }: Pick<WorkerTask, "reports" | "seed">,
  module: string,
): Promise<Cell[]> {
  const settings = settingsOf(recording);
  const cells: Cell[] = [];
  let next = 0;
  const work = async (): Promise<void> => {
    const workerData: WorkerTask = { recording, reports, seed };
    const worker = new Worker(module, { workerData });
    try {
      while (next < settings.length) {
        const place = next;
        next += 1;
        cells[place] = await answered(worker, settings[place]);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(availableParallelism(), settings.length) }, work));
  return cells;
}

function answered(worker: Worker, question: unknown): Promise<Cell> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("message", (cell: Cell) => {
      worker.off("error", reject);
      resolve(cell);
    });
    worker.postMessage(question);
  });
}
