/**
 * wrk as a load generator, for published pages that were measured with it. Compared with oha it speaks HTTP/1.1 only,
 * runs for whole seconds, rounds the connections down to a multiple of its threads, cuts off requests at the end, and
 * checks no body and no certificate. The readiness check compares the body; during the load only the sum of all bytes is checked, and a
 * status below 400 counts as a success.
 */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { childFailure, childTail } from "../../process/child.js";
import { HOST } from "../server/port.js";
import type { Generator, GeneratorSetup, Load, SliceOutcome } from "./contract.js";
import { runGenerator, unreadable } from "./generator-run.js";
import { judgeWrk, parseWrkOutput, WRK_MARK } from "./wrk-output.js";

/** What wrk may take beyond window and request timeout before it counts as hung. */
const HANG_MARGIN_SEC = 10;

/**
 * The same for every load: method and body come as arguments. It has no `request` or `response` function, which would
 * run Lua for every request.
 */
const SCRIPT = `
function init(args)
  wrk.method = args[1]
  if args[2] then
    local file = assert(io.open(args[2], "rb"))
    wrk.body = file:read("*a")
    file:close()
  end
end

local function number(value)
  if value ~= value or value == math.huge then return "null" end
  return string.format("%.3f", value)
end

function done(summary, latency, requests)
  local errors = {}
  for _, kind in ipairs({"connect", "read", "write", "status", "timeout"}) do
    errors[#errors + 1] = string.format('"%s":%d', kind, summary.errors[kind])
  end
  local times = {'"mean":' .. number(latency.mean), '"max":' .. number(latency.max)}
  for _, p in ipairs({50, 60, 70, 75, 80, 90, 95, 99}) do
    times[#times + 1] = string.format('"p%d":%s', p, number(latency:percentile(p)))
  end
  print(string.format('${WRK_MARK}{"seconds":%.6f,"requests":%d,"bytes":%.0f,"errors":{%s},"latencyUs":{%s}}',
    summary.duration / 1e6, summary.requests, summary.bytes, table.concat(errors, ","), table.concat(times, ",")))
end
`;

/** argv of one slice. @param threads of wrk; each needs a connection @param script where our script is */
export function wrkCommand(path: string, threads: number, load: Load, script: string): string[] {
  const { request } = load;
  return [
    path,
    ...["-t", String(Math.min(threads, load.connections)), "-c", String(load.connections)],
    ...["-d", `${Math.max(1, Math.ceil(load.seconds))}s`, "--timeout", `${load.timeoutSec}s`],
    ...["-s", script],
    ...Object.entries(request.headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
    `${load.authority === undefined ? "http" : "https"}://${HOST}:${load.port}${request.path}`,
    ...["--", request.method, ...(load.bodyFile === undefined ? [] : [load.bodyFile])],
  ];
}

export function createWrk(setup: GeneratorSetup): Generator {
  const script = join(setup.tempDir, "wrk.lua");
  const command = (load: Load): string[] =>
    wrkCommand(setup.tool.path, load.generatorThreads ?? setup.cpus.length, load, script);

  async function slice(load: Load, onLoadEnd: () => void): Promise<SliceOutcome> {
    await writeFile(script, SCRIPT);
    const { outcome, clientCpuSec } = await runGenerator(setup, {
      argv: command(load),
      timeoutMs: (load.seconds + load.timeoutSec + HANG_MARGIN_SEC) * 1000,
      connections: load.connections,
      onLoadEnd,
    });
    const failure = childFailure(outcome, "wrk");
    if (failure !== undefined) return { state: "failed", reason: failure, log: childTail(outcome) };
    try {
      const output = parseWrkOutput(outcome.stdout);
      // A second measurement with `record` would show no more: wrk records nothing.
      const judged = { ...judgeWrk(output, load.answers[0]?.size?.least ?? 0), exact: true };
      return { state: "measured", seconds: output.seconds, clientCpuSec, programCpuSec: clientCpuSec, ...judged };
    } catch (error) {
      return unreadable(error, outcome);
    }
  }

  return {
    name: "wrk",
    command,
    run: (load, onLoadEnd) => slice(load, onLoadEnd).finally(() => rm(script, { force: true })),
  };
}
