/** The settings of a recording, evaluated by threads: the same cells as those of one thread, and so the same for the same seed. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { evaluate } from "../../evaluation/resample/evaluate.js";
import { evaluateInParallel } from "../../evaluation/resample/parallel.js";
import { bundleForNode } from "../../scripts/bundle.mjs";
import { syntheticRecording } from "./synthetic-recording.js";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "parallel-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

it("gives the cells of one thread, in their order", async () => {
  const module = join(folder, "worker.mjs");
  await bundleForNode({ entryPoints: ["evaluation/resample/worker.ts"] }, module);
  const whole = syntheticRecording({ pairs: 6, bias: 0.01, rounds: 3 });
  const recording = { ...whole, rows: whole.rows.slice(0, 2) };
  const cells = await evaluateInParallel(recording, { reports: 1, seed: 4 }, module);
  expect(cells).toEqual(evaluate(recording, 1, 4));
});

it("fails with what a thread throws", async () => {
  const module = join(folder, "broken.mjs");
  await writeFile(module, 'throw new Error("it broke");');
  const task = { reports: 1, seed: 1 };
  await expect(evaluateInParallel(syntheticRecording(), task, module)).rejects.toThrow("it broke");
});
