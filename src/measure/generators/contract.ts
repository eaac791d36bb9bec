/** The contract of every load generator: it gets a load and returns a typed outcome. */
import type { GeneratorName, PlannedRequest } from "../../plan/types.js";
import type { Tool } from "../../provision/types.js";
import type { Failures, LatencyMs } from "../../results/schema.js";
import type { RouteAnswer } from "../server/exchange.js";

/** Requests that are due by a clock, whatever the answers do. */
interface OpenLoop {
  readonly ratePerSec: number;
  /** Seconds at the start whose latencies do not count: connections are made then. */
  readonly settleSec: number;
  /** The rest is cut into windows of this length, each with its own percentiles. */
  readonly windowSec: number;
}

export interface OpenOutcome {
  /** Right answers to requests that were due after the settling. */
  readonly answered: number;
  /** Of the quieter windows; undefined where none had enough answers, for this percentile or at all. */
  readonly latencyMs: { readonly p50: number; readonly p99: number | undefined } | undefined;
}

/** One window of load. */
export interface Load {
  readonly port: number;
  readonly request: PlannedRequest;
  /** File that holds the request's body. */
  readonly bodyFile?: string;
  /** Of every request of the row: what its answers are checked for. */
  readonly answers: readonly RouteAnswer[];
  /** A connection for each request. */
  readonly closes?: boolean | undefined;
  /** File of the authority that the server's certificate is from; undefined: no TLS. */
  readonly authority?: string | undefined;
  /** Requests per second by a clock; undefined: a closed loop, or `open`. */
  readonly ratePerSec?: number | undefined;
  readonly http: 1 | 2;
  readonly connections: number;
  /** Concurrent requests on one HTTP/2 connection. */
  readonly streams: number;
  readonly seconds: number;
  /** Sends this many requests instead, however long they take, and `seconds` is a limit; wrk has no such mode. */
  readonly requests?: number;
  /** Seconds after which a request counts as failed. */
  readonly timeoutSec: number;
  /** Wait for requests that are still running at the end, instead of cutting them off. */
  readonly waitOngoing: boolean;
  /** Record every request: exact counts where answers were mixed, and every percentile. */
  readonly record: boolean;
  /** Path of the server's unix socket; undefined: TCP. */
  readonly socket?: string | undefined;
  /** Report the time to the first byte. */
  readonly firstByte?: boolean | undefined;
  /** Undefined: a closed loop, each connection sends as soon as it is answered. Only oha has it. */
  readonly open?: OpenLoop;
  /** Threads of the load generator; undefined: as many as it has CPUs. */
  readonly generatorThreads?: number;
}

export interface Measured {
  readonly state: "measured";
  /** Elapsed, by the generator's clock. */
  readonly seconds: number;
  /** Successful ones: expected status and body size. */
  readonly requests: number;
  readonly failures: Failures;
  /** Of wrong bodies, where they were recorded: `17 bytes`. */
  readonly wrongSizes?: string;
  /** Of successful requests; undefined where there was none. */
  readonly latencyMs: LatencyMs | undefined;
  /** Median; of a load that asked for it. */
  readonly firstByteMs?: number;
  /** Of a load at a fixed rate. */
  readonly open?: OpenOutcome;
  /** CPU seconds that the generator used for the load itself. */
  readonly clientCpuSec: number;
  /** CPU seconds of the generator in all, also for connecting, checking and writing its figures: none of it is another process's. */
  readonly programCpuSec: number;
  /** Of a broadcast: messages sent, and the seconds until the last one of each round was; those received are the requests. */
  readonly messages?: { readonly sent: number; readonly sendSec: number };
  /** False: right and wrong answers were mixed. Counts and latencies of the right ones need `record`. */
  readonly exact: boolean;
}
export type SliceOutcome =
  | Measured
  | {
      readonly state: "failed";
      readonly reason: string;
      /** The last lines of the generator's output; undefined where the server's own log explains more. */
      readonly log: string | undefined;
    };

export interface Generator {
  readonly name: GeneratorName;
  /** argv, as it is run and shown for reproduction. */
  command(load: Load): string[];
  /**
   * Runs it. `onLoadEnd` is called when the load is over, before anything else is done with it, if that can be seen.
   * @throws the run's abort reason
   */
  run(load: Load, onLoadEnd: () => void): Promise<SliceOutcome>;
}

/** What every generator is made from. */
export interface GeneratorSetup {
  readonly tool: Tool;
  readonly cpus: readonly number[];
  readonly env: Readonly<Record<string, string>>;
  /** A Python with sqlite3, to read recordings. */
  readonly python: string;
  readonly tempDir: string;
  readonly signal: AbortSignal;
}
