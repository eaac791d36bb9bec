/** oha as a load generator: its command line, and one slice of it. */
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../../errors.js";
import { childFailure, childTail } from "../../process/child.js";
import { HOST } from "../server/port.js";
import type { Generator, GeneratorSetup, Load, Measured, SliceOutcome } from "./contract.js";
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

/** Files of one run of oha. */
export interface OhaFiles {
  /** Where every response is recorded (sqlite). */
  readonly recordTo?: string | undefined;
  /** A URL a line, of a row with several requests: oha draws one for each request. */
  readonly urls?: string | undefined;
}

/** argv of one slice. */
export function ohaCommand(path: string, threads: number, load: Load, { recordTo, urls }: OhaFiles = {}): string[] {
  const { request } = load;
  const rate = load.open?.ratePerSec ?? load.ratePerSec;
  const connectTimeoutSec = Math.min(CONNECT_TIMEOUT_SEC, load.timeoutSec);
  return [
    path,
    ...["--no-tui", "--no-color", "--output-format", "json"],
    ...(load.requests === undefined ? ["-z", `${load.seconds}s`] : ["-n", String(load.requests)]),
    ...["-c", String(load.connections)],
    // Without a rate the correction does nothing.
    ...(rate === undefined ? [] : ["-q", String(rate), "--latency-correction"]),
    ...(load.waitOngoing ? ["-w"] : []),
    ...["--worker-threads", String(threads)],
    ...["-t", `${load.timeoutSec}s`, "--connect-timeout", `${connectTimeoutSec}s`],
    // Sizes are checked: so no compression, and no redirect to another page.
    ...["--redirect", "0", "--disable-compression"],
    ...(load.closes ? ["--disable-keepalive"] : []),
    ...(load.socket === undefined ? [] : ["--unix-socket", load.socket]),
    ...(load.authority === undefined ? [] : ["--cacert", load.authority]),
    ...(load.http === 2 ? ["--http2", "-p", String(load.streams)] : []),
    ...["-m", request.method],
    ...Object.entries(request.headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
    ...(load.bodyFile === undefined ? [] : ["-D", load.bodyFile]),
    ...(recordTo === undefined ? [] : ["--db-url", recordTo]),
    ...(urls === undefined ? [] : ["--urls-from-file"]),
    "--",
    urls ?? urlOf(load, request.path),
  ];
}

function urlOf({ port, authority }: Load, path: string): string {
  return `${authority === undefined ? "http" : "https"}://${HOST}:${port}${path}`;
}

/** Each URL as often as its weight. */
function urlList(load: Load): string {
  return load.answers.flatMap(({ path, weight }) => Array<string>(weight).fill(urlOf(load, path))).join("\n");
}

/** In the place of the list's file, which is gone after the load: rows with other weights are other rows. */
function describedUrls({ answers }: Load, tempDir: string): string {
  return `${tempDir}/urls (${answers.map(({ path, weight }) => `${weight} x ${path}`).join(", ")})`;
}

/** As oha records them: the path, and of HTTP/2 the whole URL. Undefined: there is one only. */
function recordedUrls(load: Load): readonly (string | undefined)[] {
  if (load.answers.length === 1) return [undefined];
  return load.answers.map(({ path }) => {
    const url = new URL(urlOf(load, path));
    return load.http === 2 ? url.href : `${url.pathname}${url.search}`;
  });
}

/** oha's first bytes are those of all responses: where some were wrong, they are not those of right ones. */
function ofRight(measured: Measured): Measured {
  if (measured.failures.total === 0 && measured.exact) return measured;
  const { firstByteMs: _, ...rest } = measured;
  return rest;
}

/** The JSON is printed at once and before the recording is stored; only its last line is a lone brace. */
function isWhole(stdout: string): boolean {
  return /\n\}\s*$/.test(stdout);
}

export function createOha(setup: GeneratorSetup): Generator {
  const command = (load: Load, files?: OhaFiles): string[] =>
    ohaCommand(setup.tool.path, load.generatorThreads ?? setup.cpus.length, load, files);

  async function slice(load: Load, files: OhaFiles, onLoadEnd: () => void): Promise<SliceOutcome> {
    const { recordTo } = files;
    const { outcome, clientCpuSec } = await runGenerator(setup, {
      argv: command(load, files),
      timeoutMs: (load.seconds + load.timeoutSec + HANG_MARGIN_SEC) * 1000,
      connections: load.connections,
      isOver: isWhole,
      ...(recordTo === undefined
        ? {}
        : { afterwardsMs: (load.seconds * RECORD_SEC_PER_WINDOW_SEC + RECORD_MARGIN_SEC) * 1000 }),
      onLoadEnd,
    });
    const failure = childFailure(outcome, "oha");
    if (failure !== undefined) return { state: "failed", reason: failure, log: childTail(outcome) };
    let output: OhaOutput;
    try {
      output = parseOhaOutput(outcome.stdout);
    } catch (error) {
      return unreadable(error, outcome);
    }
    const { answers } = load;
    const { seconds } = output;
    const base = {
      state: "measured",
      seconds,
      clientCpuSec: ofLoad(clientCpuSec, seconds, setup),
      programCpuSec: clientCpuSec,
      ...(load.firstByte && output.firstByteMs !== undefined && { firstByteMs: output.firstByteMs }),
    } as const;
    // Without any response there is no recording.
    if (recordTo === undefined || !existsSync(recordTo)) return ofRight({ ...base, ...judge(output, answers) });
    try {
      const { open, seconds: askedSec } = load;
      const urls = recordedUrls(load);
      const expected = answers.map(({ status, size }, i) => ({ status, size, url: urls[i] }));
      const recorded =
        open === undefined
          ? await readRecording(setup, recordTo, expected, output)
          : await readOpenRecording(setup, recordTo, expected, { open, seconds: askedSec }, output);
      return ofRight({ ...base, ...recorded, exact: true });
    } catch (error) {
      setup.signal.throwIfAborted();
      return { state: "failed", reason: messageOf(error), log: "" };
    }
  }

  return {
    name: "oha",
    command: (load) => command(load, load.answers.length > 1 ? { urls: describedUrls(load, setup.tempDir) } : {}),
    async run(load, onLoadEnd) {
      // Only a recording shows when each request was due.
      const recording = load.record || load.open !== undefined;
      const name = join(setup.tempDir, `oha-${randomUUID()}`);
      const files: OhaFiles = {
        recordTo: recording ? `${name}.sqlite` : undefined,
        urls: load.answers.length > 1 ? `${name}.urls` : undefined,
      };
      try {
        if (files.urls !== undefined) await writeFile(files.urls, urlList(load));
        return await slice(load, files, onLoadEnd);
      } finally {
        const made = Object.values(files).flatMap((file) => (file === undefined ? [] : [file, `${file}-journal`]));
        await Promise.all(made.map((file) => rm(file, { force: true })));
      }
    },
  };
}
