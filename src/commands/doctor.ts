/** `doctor`: what this machine has and lacks for good measurements. Nothing is installed or changed. */
import { readFileSync } from "node:fs";
import { InputError } from "../errors.js";
import { readTopology, splitCpus } from "../measure/machine/cpus.js";
import { parseCpuModel } from "../measure/machine/facts.js";
import { watchNeighbours } from "../measure/machine/neighbours.js";
import { readSettings } from "../measure/machine/settings.js";
import { addressesCheck } from "./doctor/addresses-check.js";
import { machineChecks } from "./doctor/machine-checks.js";
import { programChecks } from "./doctor/program-checks.js";
import { doctorText } from "./doctor/text.js";
import type { ParsedCommand } from "./options.js";
import { checkPlatform } from "./platform.js";
import type { ProcessContext } from "./process-context.js";

/** Long enough that a process which wakes up every second shows. */
const WATCH_SEC = 2;

export async function doctor(parsed: ParsedCommand, context: ProcessContext): Promise<number> {
  const [given] = parsed.positionals;
  if (given !== undefined) throw new InputError(`doctor takes no argument, got "${given}"`);
  checkPlatform("doctor");
  const topology = readTopology();
  const cpus = topology.cores.flat();
  const neighbours = await watchNeighbours(cpus, WATCH_SEC);
  const checks = [
    ...machineChecks({
      settings: readSettings(cpus),
      split: splitCpus(topology),
      cpuModel: parseCpuModel(readFileSync("/proc/cpuinfo", "utf8")),
      neighbours,
    }),
    await addressesCheck(context.env),
    ...(await programChecks(context.env)),
  ];
  const text = parsed.flags.has("json") ? JSON.stringify({ checks }, null, 2) : doctorText(checks);
  context.stdout.write(`${text}\n`);
  return 0;
}
