/** The machine that the runs are made on: rows of different machines do not belong into one file. */
import { randomUUID } from "node:crypto";
import { InputError, SetupError } from "../../src/errors.js";
import { findValgrind } from "../../src/measure/instructions/valgrind.js";
import { readTopology, splitCpus } from "../../src/measure/machine/cpus.js";
import { readHost } from "../../src/measure/machine/facts.js";
import type { InstructionsFile } from "./judged-row.js";

export type CountingMachine = Pick<InstructionsFile, "machine" | "cpus" | "valgrind">;

/** @throws SetupError without Valgrind */
export async function thisMachine(): Promise<CountingMachine> {
  const topology = readTopology();
  const found = await findValgrind(process.env, { id: randomUUID(), signal: new AbortController().signal });
  if (found.state === "missing") throw new SetupError(found.reason);
  const { cpuModel, kernel, virtualization } = await readHost("", new Map(), splitCpus(topology));
  const machine = [cpuModel, `kernel ${kernel}`, ...(virtualization === undefined ? [] : [virtualization])].join(", ");
  return { machine, cpus: topology.cores.flat().length, valgrind: found.valgrind.version };
}

/** @param file its name @throws InputError that names the file, the field and both values */
export function checkSameMachine(file: string, before: CountingMachine, here: CountingMachine): void {
  for (const field of ["machine", "cpus", "valgrind"] as const)
    if (before[field] !== here[field])
      throw new InputError(`${file}: ${field} is ${before[field]}, and ${here[field]} here: take another file`);
}
