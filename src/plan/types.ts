/** What the plan hands to the stages after it: plain, readonly values. */
import type { MetricColumn } from "../results/metric-columns.js";
import type { ProfileName } from "../results/schema.js";
import type { GENERATORS, INTERFACES, KnobValue } from "./schema.js";

export type InterfaceName = (typeof INTERFACES)[number];
export type GeneratorName = (typeof GENERATORS)[number];
export type Side = "base" | "head";

/** How long a case is warmed up and measured. */
export interface Profile {
  readonly name: ProfileName;
  /** Seconds of one warm-up step. */
  readonly warmupStepSec: number;
  /** The warm-up ends when it is steady, and at the latest after this many seconds. */
  readonly warmupMaxSec: number;
  /** Seconds of one measured slice. */
  readonly windowSec: number;
  /** Of several concurrencies of a row: all of them, or the first one alone. */
  readonly sweep: boolean;
}

/** Bytes by description, so that a plan stays small; `bodyBytes` in measure/ makes them. */
export type Body =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "repeat"; readonly character: string; readonly sizeBytes: number }
  | { readonly kind: "file"; readonly name: string }
  /** A message of Protocol Buffers: field number -> value. */
  | { readonly kind: "message"; readonly fields: Readonly<Record<string, string | number | boolean>> };

export interface PlannedRequest {
  readonly name: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A unary gRPC call; bodies are messages then, and 200 stands for OK. */
  readonly grpc?: {
    /** Absolute path of the .proto file. */
    readonly proto: string;
    /** `package.Service/Method` */
    readonly call: string;
  };
  readonly body?: Body;
  readonly expect: { readonly status: number; readonly body: Body };
}

/** One Python environment: rows with the same requirements share it. */
export interface EnvironmentSpec {
  /** The server's name in servers.yml. */
  readonly server: string;
  /** Requirement specifiers in a fixed order: the server's, its knobs', the app's. */
  readonly requires: readonly string[];
  /** The distribution whose version is the server's version. */
  readonly distribution: string;
  /** Python to use: a version such as "3.13" or a path; undefined: the python3 on PATH. */
  readonly python?: string;
  /** Debian packages to name when the installation fails. */
  readonly systemPackages: readonly string[];
}

/** A Python that rows can be planned for. */
export interface PythonChoice {
  /** As tables and ids say it: `3.13`, `3.14t`, `pypy3.11`. */
  readonly label: string;
  /** What `EnvironmentSpec.python` takes; undefined: the python3 on PATH. */
  readonly request?: string;
}

export interface PlannedServer {
  readonly name: string;
  readonly title: string;
  readonly interface: InterfaceName;
  /** argv with `{host}` and `{port}` still open; argv[0] is a program of the environment. */
  readonly command: readonly string[];
  /** Working directory of the server: the app's folder. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly readyTimeoutSec: number;
}

export interface PlannedRow {
  /** `set/row-slug`, unique in a plan. */
  readonly id: string;
  readonly set: string;
  readonly title: string;
  readonly group?: string;
  readonly knobs: Readonly<Record<string, KnobValue>>;
  readonly server: PlannedServer;
  readonly environment: EnvironmentSpec;
  readonly request: PlannedRequest;
  readonly http: 1 | 2;
  readonly streams: number;
  /** One case each, measured on the same server process. */
  readonly connections: readonly number[];
  readonly timeoutSec: number;
  readonly waits: boolean;
  readonly generator: GeneratorName;
  /** Threads of the load generator; undefined: as many as it has CPUs. */
  readonly generatorThreads?: number;
  /** Measured seconds of each case. */
  readonly windowSec: number;
  /** The table needs percentiles that the load generator's summary does not hold. */
  readonly everyLatency: boolean;
  /** Beside a base, latency at a fixed rate is compared too. */
  readonly latency?: boolean;
}

/** What a report needs to know of a scenario set; it travels in the results file. */
interface SetInfo {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  /** Sentences generated from the scenario file: how the rows were run. */
  readonly methodology: readonly string[];
  readonly label: string;
  /** Heading of the first column where every concurrency has its own line. */
  readonly connectionsColumn?: string;
  /** Heading -> knob, of the columns before the label's. */
  readonly leadColumns?: Readonly<Record<string, string>>;
  /** Heading -> knob. */
  readonly knobColumns: Readonly<Record<string, string>>;
  readonly columns: readonly MetricColumn[];
  readonly boldBestPer?: string;
  /** Drawn as bar charts beside the tables. */
  readonly charts?: readonly MetricColumn[];
}

export interface PlannedSet extends SetInfo {
  readonly rows: readonly PlannedRow[];
}

export interface Plan {
  readonly profile: Profile;
  readonly sets: readonly PlannedSet[];
}
