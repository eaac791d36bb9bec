/** What a load generator sends for a row, and how that is recorded. */
import { join } from "node:path";
import type { PlannedRow } from "../plan/types.js";
import type { Failures } from "../results/schema.js";
import type { Generator, Load } from "./generators/contract.js";
import { WRONG_BODY } from "./generators/recording.js";
import { type Exchange, routeAnswers } from "./server/exchange.js";
import { HOST } from "./server/port.js";
import type { Started } from "./server/start.js";

/** Where the row is sent: a server that runs, and what its answers are checked for. */
interface Target extends Pick<Started, "port" | "certificate" | "socket"> {
  readonly exchange: Exchange;
  /** File that holds the request's body. */
  readonly bodyFile: string | undefined;
}

type Window = Pick<Load, "connections" | "seconds" | "waitOngoing" | "record">;

/** The load of a row for one window, as its scenario file describes it. */
export function rowLoad(row: PlannedRow, target: Target, window: Window): Load {
  const { request, closes, ratePerSec, firstByte, http, streams, timeoutSec, generatorThreads } = row;
  const { port, exchange, bodyFile, certificate, socket } = target;
  return {
    port,
    request,
    ...(bodyFile === undefined ? {} : { bodyFile }),
    answers: routeAnswers(exchange),
    closes,
    ratePerSec,
    firstByte,
    authority: certificate?.authority,
    socket,
    http,
    streams,
    timeoutSec,
    ...(generatorThreads === undefined ? {} : { generatorThreads }),
    ...window,
  };
}

/** In a warm-up, where sizes of right bodies vary, each answer is recorded: whether the range holds shows there. */
export function warmUpLoad(load: Load, seconds: number): Load {
  const varies = load.answers.some(({ size }) => size !== undefined && size.least < size.most);
  return { ...load, seconds, waitOngoing: true, record: varies };
}

/** A body that varies left the range of its first answers: from now on its size is not checked. */
export function leftItsRange({ byKind }: Failures, { learned }: Exchange): boolean {
  return (byKind[WRONG_BODY] ?? 0) > 0 && learned.ignoreVaryingSizes();
}

/** argv for the results file, without the port and folder of this run: two runs then record the same command. */
export function recordedCommand(
  { generator, port, tempDir }: { readonly generator: Generator; readonly port: number; readonly tempDir: string },
  load: Load,
): string[] {
  return generator
    .command(load)
    .map((part) => (part === load.bodyFile ? join(tempDir, `body-${load.request.name}`) : part))
    .map((part) => (part === load.socket ? join(tempDir, "server.sock") : part))
    .map((part) => part.replaceAll(`${HOST}:${port}`, `${HOST}:{port}`).replaceAll(tempDir, "{temp}"));
}
