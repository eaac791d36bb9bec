/** What the plan hands to the stages after it: plain, readonly values. */
import type { MetricColumn } from "../results/metric-columns.js";
import type { ProfileName } from "../results/schema.js";
import type { METHODS } from "./request-schema.js";
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
  /** A file of the user's, by its absolute path, or else one that the project makes, by its name. */
  | { readonly kind: "file"; readonly name: string; readonly path?: string }
  /** A message of Protocol Buffers: field number -> value. */
  | { readonly kind: "message"; readonly fields: Readonly<Record<string, string | number | boolean>> };

/** What a right body is. A `Body` means exactly these bytes. */
export type BodyCheck =
  | Body
  | { readonly kind: "size"; readonly minBytes: number; readonly maxBytes: number }
  /** A JSON value that holds at least this one. */
  | { readonly kind: "json"; readonly subset: unknown }
  | { readonly kind: "regex"; readonly pattern: string }
  | { readonly kind: "any" }
  /** As in the first answers of the side. */
  | { readonly kind: "learned" };

export interface Expect {
  /** Learned: that of the side's first answers. */
  readonly status: number | "learned";
  /** Media type. Undefined: that of the side's first answers, where anything is learned from them. */
  readonly type?: string;
  readonly body: BodyCheck;
}

export interface PlannedRequest {
  readonly name: string;
  readonly method: (typeof METHODS)[number];
  /** With its query. */
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
  readonly expect: Expect;
}

/** One of the requests of a row, and how often it is drawn. */
export interface WeightedRequest {
  readonly request: PlannedRequest;
  readonly weight: number;
}

/** A path that a scenario file names, and where it does: file, line and field. */
export interface NamedPath {
  /** Absolute. */
  readonly path: string;
  readonly at: string;
}

/** What an app's own files ask for. They are read when the environment is made: each side has its own. */
export interface AppInstall {
  /** Name of the app in servers.yml. */
  readonly app: string;
  /** The app's folder: paths inside of requirements files begin there. */
  readonly folder: string;
  readonly requirements: readonly NamedPath[];
  readonly lock?: NamedPath;
  readonly project?: NamedPath;
  readonly extras: readonly string[];
  readonly groups: readonly string[];
  readonly editable: boolean;
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
  readonly install?: AppInstall;
  /** Distributions whose version the user chose for this run (`--server`): these an app's own pins do not replace. */
  readonly chosen?: readonly string[];
  /** Those of `requires` that the app's entry names: pins of servers, knobs and the app's files give way to them. */
  readonly own?: readonly string[];
  /** What older releases of the distribution need besides. */
  readonly older?: readonly OlderRelease[];
  /** Folder of the user's scenario files: edits in it install nothing anew. */
  readonly scenarios?: string;
}

/** Requirements of the releases before one. */
interface OlderRelease {
  readonly before: string;
  readonly requires: readonly string[];
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
  /** `module:object` of the app. */
  readonly target?: string;
  /** argv with `{host}` and `{port}` still open; argv[0] is a program of the environment. */
  readonly command: readonly string[];
  /** Working directory of the server: the app's folder. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly readyTimeoutSec: number;
}

/** When a service is ready; a command is, once it ends with 0. */
export type ReadyCheck =
  | { readonly kind: "port" }
  | { readonly kind: "http"; readonly path: string }
  | { readonly kind: "command"; readonly command: readonly string[] };

/** A program that runs beside the app. */
export interface PlannedService {
  readonly name: string;
  /** argv with `{host}`, `{port}`, `{data}` and `{folder}` still open. */
  readonly command: readonly string[];
  /** What `{folder}` stands for: the folder of the file that names the service. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  /** File, line and field, for messages. */
  readonly at: string;
  readonly ready: ReadyCheck;
  readonly timeoutSec: number;
}

/** What is done once for a row and a side, before its first server is started. */
export interface PlannedPreparation {
  readonly services: readonly PlannedService[];
  /** Commands, run one after the other in the app's folder. */
  readonly before: readonly (readonly string[])[];
  /** File, line and field of the commands, for messages. */
  readonly beforeAt: string;
  /** For each of them. */
  readonly beforeTimeoutSec: number;
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
  /** Absent where the app needs none. */
  readonly preparation?: PlannedPreparation;
  readonly request: PlannedRequest;
  /** Of a row with several requests: all of them. `request` is the first one. */
  readonly mix?: readonly WeightedRequest[];
  /** Each request opens a new connection. */
  readonly closes?: true;
  readonly tls?: true;
  /** Requests per second by a clock; undefined: a closed loop. */
  readonly ratePerSec?: number;
  /** The same as a share (0 to 1) of the server's own maximum in a closed loop. */
  readonly rateShare?: number;
  /** The server listens on a unix socket. */
  readonly socket?: true;
  /** Held open beside the load. */
  readonly idleConnections?: number;
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
  /** The table shows the time to the first byte. */
  readonly firstByte?: true;
  /** Beside a base, latency at a fixed rate is compared too. */
  readonly latency?: boolean;
  /** The start of the server is measured too. */
  readonly startup?: true;
}

/** What a report needs to know of a scenario set; it travels in the results file. */
interface SetInfo {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  /** Sentences generated from the scenario file: how the rows were run. */
  readonly methodology: readonly string[];
  /** Ids of all rows, selected or not, in the order of the file. */
  readonly rowOrder?: readonly string[];
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
