/**
 * ghz as a load generator, for gRPC. It counts a call as a success where its status is OK. It does not check the message:
 * the readiness check did.
 */
import { randomUUID } from "node:crypto";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { childFailure, childTail } from "../../process/child.js";
import { HOST } from "../server/port.js";
import { varint } from "../server/protobuf.js";
import type { Generator, GeneratorSetup, Load, SliceOutcome } from "./contract.js";
import { ofLoad, runGenerator, unreadable } from "./generator-run.js";
import { parseGhzOutput } from "./ghz-output.js";

/** What ghz may take beyond window and request timeout before it counts as hung; it writes a million calls in 3 s. */
const HANG_MARGIN_SEC = 20;
const CONNECT_TIMEOUT_SEC = 5;
/** A million calls, the most that it reports, have some 110 bytes each; failed ones, which name the error, more. */
const REPORT_LIMIT_BYTES = 384 * 1024 * 1024;

/** argv of one slice. @param report where ghz writes its JSON @param data the request's message, preceded by its length */
export function ghzCommand(path: string, cpus: number, load: Load, files: { report: string; data: string }): string[] {
  const { grpc, headers } = load.request;
  if (grpc === undefined) throw new Error(`request "${load.request.name}" is no gRPC call`);
  const connectTimeoutSec = Math.min(CONNECT_TIMEOUT_SEC, load.timeoutSec);
  const metadata = Object.keys(headers).length === 0 ? [] : ["--metadata", JSON.stringify(headers)];
  return [
    path,
    ...["--insecure", "--proto", grpc.proto, "--call", grpc.call, "--binary-file", files.data, ...metadata],
    ...(load.requests === undefined
      ? ["--duration", `${load.seconds}s`, "--duration-stop", load.waitOngoing ? "wait" : "ignore"]
      : ["--total", String(load.requests)]),
    ...["--concurrency", String(load.connections * load.streams), "--connections", String(load.connections)],
    ...["--timeout", `${load.timeoutSec}s`, "--connect-timeout", `${connectTimeoutSec}s`],
    ...["--cpus", String(cpus), "--format", "json", "--output", files.report],
    `${HOST}:${load.port}`,
  ];
}

export function createGhz(setup: GeneratorSetup): Generator {
  const data = join(setup.tempDir, "ghz-message");
  const command = (load: Load, report: string): string[] =>
    ghzCommand(setup.tool.path, load.generatorThreads ?? setup.cpus.length, load, { report, data });

  async function slice(load: Load, report: string, onLoadEnd: () => void): Promise<SliceOutcome> {
    await writeFile(data, await delimited(load.bodyFile));
    const { outcome, clientCpuSec } = await runGenerator(setup, {
      argv: command(load, report),
      timeoutMs: (load.seconds + load.timeoutSec + HANG_MARGIN_SEC) * 1000,
      connections: load.connections,
      onLoadEnd,
    });
    const failure = childFailure(outcome, "ghz");
    if (failure !== undefined) return { state: "failed", reason: failure, log: childTail(outcome) };
    try {
      const output = parseGhzOutput(await readReport(report));
      return {
        state: "measured",
        ...output,
        clientCpuSec: ofLoad(clientCpuSec, output.seconds, setup),
        programCpuSec: clientCpuSec,
        exact: true,
      };
    } catch (error) {
      return unreadable(error, outcome);
    }
  }

  return {
    name: "ghz",
    command: (load) => command(load, join(setup.tempDir, "ghz.json")),
    async run(load, onLoadEnd) {
      const report = join(setup.tempDir, `ghz-${randomUUID()}.json`);
      try {
        return await slice(load, report, onLoadEnd);
      } finally {
        await rm(report, { force: true });
        await rm(data, { force: true });
      }
    },
  };
}

/** One message preceded by its length: an empty message stays a message, and no message is read as several. */
async function delimited(bodyFile: string | undefined): Promise<Buffer> {
  const message = bodyFile === undefined ? Buffer.alloc(0) : await readFile(bodyFile);
  return Buffer.concat([varint(message.length), message]);
}

async function readReport(path: string): Promise<string> {
  const { size } = await stat(path).catch(() => {
    throw new Error("ghz wrote no report");
  });
  if (size > REPORT_LIMIT_BYTES)
    throw new Error(`ghz's report has ${Math.round(size / 1e6)} MB: more calls failed than can be reported one by one`);
  return readFile(path, "utf8");
}
