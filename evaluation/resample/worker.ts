/** A thread that evaluates settings of one recording, one after the other. */
import { parentPort, workerData } from "node:worker_threads";
import type { Recording } from "../recording/recording.js";
import { evaluator, type Setting } from "./evaluate.js";

export interface WorkerTask {
  readonly recording: Recording;
  readonly reports: number;
  readonly seed: number;
}

if (parentPort) {
  const port = parentPort;
  const { recording, reports, seed }: WorkerTask = workerData;
  const evaluate = evaluator(recording, reports, seed);
  port.on("message", (setting: Setting) => port.postMessage(evaluate(setting)));
}
