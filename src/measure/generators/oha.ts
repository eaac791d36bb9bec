/** oha as a load generator: its command line, and one slice of it. */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../errors.js";
import { childFailure, childTail } from "../../process/child.js";
import { HOST } from "../server/port.js";
import type { Generator, GeneratorSetup, Load, SliceOutcome } from "./contract.js";
import { ofLoad, runGenerator, unreadable } from "./generator-run.js";
import { judge, type OhaOutput, parseOhaOutput } from "./oha-output.js";
import { readOpenRecording } from "./open-recording.js";
import { readRecording } from "./recording.js";

/** What oha may take beyond window and request timeout before it counts as hung. */
const HANG_MARGIN_SEC = 10;
/** It writes some 300,000 recorded requests a second; a window's worth must fit. */
const RECORD_SEC_PER_WINDOW_SEC = 5;
const RECORD_MARGIN_SEC = 60;
/** oha's own default. */
const CONNECT_TIMEOUT_SEC = 5;

/** argv of one slice. @param recordTo where every response is recorded (sqlite) */
export function ohaCommand(path: string, threads: number, load: Load, recordTo?: string): string[] {
  const { request } = load;
  const connectTimeoutSec = Math.min(CONNECT_TIMEOUT_SEC, load.timeoutSec);
  return [
    path,
    ...["--no-tui", "--no-color", "--output-format", "json"],
    ...["-z", `${load.seconds}s`, "-c", String(load.connections)],
    // Without a rate the correction does nothing.
    ...(load.open === undefined ? [] : ["-q", String(load.open.ratePerSec), "--latency-correction"]),
    ...(load.waitOngoing ? ["-w"] : []),
    ...["--worker-threads", String(threads)],
    ...["-t", `${load.timeoutSec}s`, "--connect-timeout", `${connectTimeoutSec}s`],
    // Sizes are checked: so no compression, and no redirect to another page.
    ...["--redirect", "0", "--disable-compression"],
    ...(load.http === 2 ? ["--http2", "-p", String(load.streams)] : []),
    ...["-m", request.method],
    ...Object.entries(request.headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
    ...(load.bodyFile === undefined ? [] : ["-D", load.bodyFile]),
    ...(recordTo === undefined ? [] : ["--db-url", recordTo]),
    "--",
    `http://${HOST}:${load.port}${request.path}`,
  ];
}

/** The JSON is printed at once and before the recording is stored; only its last line is a lone brace. */
function isWhole(stdout: string): boolean {
  return /\n\}\s*$/.test(stdout);
}

export function createOha(setup: GeneratorSetup): Generator {
  const command = (load: Load, recordTo?: string): string[] =>
    ohaCommand(setup.tool.path, load.generatorThreads ?? setup.cpus.length, load, recordTo);

  async function slice(
    load: Load,
    recordTo: string | undefined,
    onLoadEnd: () => void,
    onSpawned?: (group: number) => void,
  ): Promise<SliceOutcome> {
    const { outcome, clientCpuSec } = await runGenerator(setup, {
      argv: command(load, recordTo),
      timeoutMs: (load.seconds + load.timeoutSec + HANG_MARGIN_SEC) * 1000,
      isOver: isWhole,
      ...(recordTo === undefined
        ? {}
        : { afterwardsMs: (load.seconds * RECORD_SEC_PER_WINDOW_SEC + RECORD_MARGIN_SEC) * 1000 }),
      onLoadEnd,
      onSpawned,
    });
    const failure = childFailure(outcome, "oha");
    if (failure !== undefined) return { state: "failed", reason: failure, log: childTail(outcome) };
    let output: OhaOutput;
    try {
      output = parseOhaOutput(outcome.stdout);
    } catch (error) {
      return unreadable(error, outcome);
    }
    const expected = { status: load.request.expect.status, bytes: load.expectedBytes };
    const { seconds } = output;
    const base = {
      state: "measured",
      seconds,
      clientCpuSec: ofLoad(clientCpuSec, seconds, setup),
      programCpuSec: clientCpuSec,
    } as const;
    // Without any response there is no recording.
    if (recordTo === undefined || !existsSync(recordTo)) return { ...base, ...judge(output, expected) };
    try {
      const { open, seconds: askedSec } = load;
      const recorded =
        open === undefined
          ? await readRecording(setup, recordTo, expected, output)
          : await readOpenRecording(setup, recordTo, expected, { open, seconds: askedSec }, output);
      return { ...base, ...recorded, exact: true };
    } catch (error) {
      setup.signal.throwIfAborted();
      return { state: "failed", reason: messageOf(error), log: "" };
    }
  }

  return {
    name: "oha",
    canPause: true,
    command: (load) => command(load),
    async run(load, onLoadEnd, onSpawned) {
      // Only a recording shows when each request was due.
      const recording = load.record || load.open !== undefined;
      const recordTo = recording ? join(setup.tempDir, `oha-${randomUUID()}.sqlite`) : undefined;
      try {
        return await slice(load, recordTo, onLoadEnd, onSpawned);
      } finally {
        if (recordTo !== undefined) {
          await rm(recordTo, { force: true });
          await rm(`${recordTo}-journal`, { force: true });
        }
      }
    },
  };
}
