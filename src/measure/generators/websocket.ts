/** The project's websocket client (python-apps/clients/websocket) as a load generator. */
import { childFailure, childTail } from "../../process/child.js";
import { HOST } from "../server/port.js";
import type { Generator, GeneratorSetup, Load, SliceOutcome } from "./contract.js";
import { runGenerator, unreadable } from "./generator-run.js";
import { toFailures } from "./oha-output.js";
import { brokenBroadcast, parseWebsocketOutput, type WebsocketOutput } from "./websocket-output.js";

/** What it may take beyond its own limits before it counts as hung: its start, the connections, checking a round. */
const HANG_MARGIN_SEC = 15;

/** The client writes these itself (RFC 6455, section 4.1). */
const OF_HANDSHAKE: ReadonlySet<string> = new Set([
  "upgrade",
  "connection",
  "sec-websocket-key",
  "sec-websocket-version",
]);

function headerArguments({ headers }: Load["request"]): string[] {
  return Object.entries(headers)
    .filter(([name]) => !OF_HANDSHAKE.has(name.toLowerCase()))
    .flatMap(([name, value]) => ["--header", `${name}: ${value}`]);
}

/** argv of one slice; the client starts a process for each CPU that it may run on. */
export function websocketCommand(argv: readonly string[], load: Load): string[] {
  return [
    ...argv,
    ...["--url", `ws://${HOST}:${load.port}${load.request.path}`],
    ...headerArguments(load.request),
    ...["--clients", String(load.connections)],
    ...["--seconds", String(load.seconds), "--timeout", String(load.timeoutSec)],
    ...(load.requests === undefined ? [] : ["--deliveries", String(load.requests)]),
  ];
}

function toOutcome(output: WebsocketOutput): SliceOutcome {
  const broken = brokenBroadcast(output);
  // The server's log explains more than the client, which got no message.
  if (broken !== undefined) return { state: "failed", reason: broken, log: undefined };
  return {
    state: "measured",
    seconds: output.seconds,
    requests: output.received,
    failures: toFailures(Object.entries(output.failures)),
    latencyMs: output.latencyMs,
    clientCpuSec: output.cpuSeconds,
    programCpuSec: output.programCpuSeconds,
    exact: true,
    messages: { sent: output.sent, sendSec: output.sendSeconds },
  };
}

export function createWebsocket(setup: GeneratorSetup): Generator {
  const command = (load: Load): string[] => websocketCommand([setup.tool.path, ...(setup.tool.args ?? [])], load);
  return {
    name: "websocket",
    command,
    async run(load, onLoadEnd) {
      const { outcome } = await runGenerator(setup, {
        argv: command(load),
        // All rounds may take twice the window, the last one the timeout more, and so may connecting.
        timeoutMs: (2 * load.seconds + 3 * load.timeoutSec + HANG_MARGIN_SEC) * 1000,
        connections: load.connections,
        isOver: (stdout) => stdout.endsWith("\n"),
        onLoadEnd,
      });
      const failure = childFailure(outcome, "the websocket client");
      if (failure !== undefined) return { state: "failed", reason: failure, log: childTail(outcome) };
      try {
        return toOutcome(parseWebsocketOutput(outcome.stdout));
      } catch (error) {
        return unreadable(error, outcome);
      }
    },
  };
}
