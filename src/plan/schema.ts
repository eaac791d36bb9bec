/**
 * The shape of scenario files, in one place: it validates them and becomes `scenarios/schema.json` for editors.
 *
 * A folder of scenarios holds `servers.yml` (servers, apps and requests as data) and one file per scenario set.
 */
import * as v from "valibot";
import { COLUMNS_MAX, REQUESTS_PER_ROW_MAX, TITLE_CHARACTERS } from "../results/limits.js";
import { METRIC_COLUMN_NAMES } from "../results/metric-columns.js";
import { NAME } from "./name.js";
import { request } from "./request-schema.js";

const name = v.pipe(v.string(), v.regex(NAME, "lower-case letters, digits, dots and dashes"));
const text = v.pipe(v.string(), v.minLength(1, "not empty"));
const title = v.pipe(text, v.maxLength(TITLE_CHARACTERS, `at most ${TITLE_CHARACTERS} characters`));
const count = v.pipe(v.number(), v.integer("a whole number"), v.minValue(1, "1 or more"));
/** A timer of more than 24 days would be over at once. */
const seconds = v.pipe(count, v.maxValue(86_400, "at most 86400 seconds (a day)"));

const weight = v.pipe(count, v.maxValue(1000, "at most 1000"));

/** The last four are APIs of frameworks that are servers too. */
export const INTERFACES = ["asgi", "rsgi", "wsgi", "grpc", "aiohttp", "robyn", "sanic", "socketify"] as const;
export const GENERATORS = ["oha", "wrk", "ghz", "websocket"] as const;
const metricColumn = v.picklist(METRIC_COLUMN_NAMES);

const interfaceName = v.picklist(INTERFACES);
/** An entry that is complete, or one that says with `extends` what it starts from. Without an input: either of them. */
function orExtending<
  Complete extends v.GenericSchema<unknown, object>,
  Extending extends v.GenericSchema<unknown, object>,
>(complete: Complete, extending: Extending) {
  return v.lazy((input): Complete | Extending | v.UnionSchema<[Complete, Extending], undefined> => {
    if (input === undefined) return v.union([complete, extending]);
    return typeof input === "object" && input !== null && "extends" in input ? extending : complete;
  });
}

const knobValue = v.union([v.string(), v.number(), v.boolean()]);
export type KnobValue = v.InferOutput<typeof knobValue>;

/** Arguments of a knob: `{value}` stands for the value. */
const knobVariant = v.strictObject({
  interfaces: v.optional(v.pipe(v.array(interfaceName), v.minLength(1))),
  /** Arguments for a whole number. */
  args: v.optional(v.array(text)),
  /** Arguments for each value of a closed list, and what that value needs installed. */
  choices: v.optional(
    v.record(
      text,
      v.strictObject({
        args: v.optional(v.array(text)),
        requires: v.optional(v.array(text)),
        interfaces: v.optional(v.array(interfaceName)),
      }),
    ),
  ),
  default: v.optional(knobValue),
});
export type KnobVariant = v.InferOutput<typeof knobVariant>;

/** In quotes: YAML reads a bare 3.10 as 3.1. `t` is the build without the global lock. */
const pythonVersion = v.pipe(
  v.string(),
  v.regex(/^3\.\d+(\.\d+)?t?$/, 'a version in quotes, such as "3.13" or "3.14t"'),
);
const argv = v.pipe(v.array(text), v.minLength(1, "a program and its arguments"));

const server = v.strictObject({
  title,
  /** The distribution whose version is shown as the server's version. */
  distribution: text,
  /** Day of that version's release, for the documentation. */
  released: v.optional(v.pipe(v.string(), v.isoDate('a day in quotes, such as "2026-10-28"'))),
  /** Requirement specifiers, installed together in one environment. */
  requires: v.pipe(v.array(text), v.minLength(1)),
  /** What releases of the distribution before one need besides. */
  older: v.optional(
    v.array(
      v.strictObject({
        before: v.pipe(text, v.regex(/^\d+(\.\d+)*$/, 'a version in quotes, such as "21.0"')),
        requires: v.pipe(v.array(text), v.minLength(1)),
      }),
    ),
  ),
  interfaces: v.pipe(v.array(interfaceName), v.minLength(1)),
  /** HTTP versions; 2 means cleartext by prior knowledge. */
  http: v.optional(v.array(v.picklist([1, 2])), [1]),
  /** argv; `{host}`, `{port}`, `{interface}`, `{target}`, `{app-dir}`; the element `{knobs}` becomes the knobs' arguments. */
  command: v.pipe(v.array(text), v.minLength(1)),
  env: v.optional(v.record(text, v.string()), {}),
  knobs: v.optional(v.record(name, v.union([knobVariant, v.array(knobVariant)])), {}),
  /** Debian packages without which the installation fails. */
  "system-packages": v.optional(v.array(text), []),
  /** Seconds until the first right answer. */
  "ready-timeout": v.optional(seconds, 20),
  /** Its command where it listens on a unix socket: `{socket}` is the path. Without it, `unix-socket: true` is refused. */
  unix: v.optional(v.pipe(v.array(text), v.minLength(1))),
  /** Arguments for a target that is a function, such as `shop:create_app()`: they follow `{knobs}`, and `{target}` is then without `()`. Without them it is passed with `()`. */
  factory: v.optional(v.pipe(v.array(text), v.minLength(1))),
  /** How it speaks TLS: its arguments follow `{knobs}`; `{cert}` and `{key}` are PEM files. Without it, `tls: true` is refused. */
  tls: v.optional(
    v.strictObject({
      args: v.pipe(v.array(text), v.minLength(1)),
      http: v.optional(v.array(v.picklist([1, 2])), [1]),
    }),
  ),
});
export type ServerEntry = v.InferOutput<typeof server>;

/** A server that starts from another one. */
const extendingServer = v.strictObject({
  extends: name,
  ...v.partial(server).entries,
  /** A plain value becomes the default of a knob of the extended server. */
  knobs: v.optional(v.record(name, v.union([knobVariant, v.array(knobVariant), knobValue]))),
});
export type ExtendingServer = v.InferOutput<typeof extendingServer>;

/** What the app needs, from files of each side's own checkout. Paths are relative to the app's folder. */
const install = v.strictObject({
  /** pip requirements files; where they have hashes, these are required. */
  requirements: v.optional(v.pipe(v.array(text), v.minLength(1))),
  lock: v.optional(
    v.pipe(
      text,
      v.regex(
        /(^|\/)(uv\.lock|poetry\.lock|pylock(\.[^/.]+)?\.toml)$/,
        "uv.lock, poetry.lock, pylock.toml or pylock.NAME.toml",
      ),
    ),
  ),
  /** Folder of the project that is installed itself. */
  project: v.optional(text),
  extras: v.optional(v.array(text), []),
  /** Dependency groups of the lock, or of the project's pyproject.toml. */
  groups: v.optional(v.array(text), []),
  editable: v.optional(v.boolean(), false),
});
export type InstallEntry = v.InferOutput<typeof install>;

const app = v.strictObject({
  interface: interfaceName,
  /** Folder of the app, relative to the file that names it. */
  path: text,
  /** module:object, as servers take it. */
  target: v.optional(text, "app:app"),
  requires: v.optional(v.array(text), []),
  install: v.optional(install),
  /** Default: the Python of the run. */
  python: v.optional(pythonVersion),
  /** Variables of the app. Secrets do not belong here: the file is in the repository. */
  env: v.optional(v.record(text, v.string()), {}),
  /** Commands that are run in the app's folder before the first server of a row starts; once for each side. */
  before: v.optional(v.array(argv), []),
  /** Seconds for each of these commands. */
  "before-timeout": v.optional(seconds, 60),
  /** Services that have to run beside the app. */
  services: v.optional(v.array(name), []),
});
export type AppEntry = v.InferOutput<typeof app>;

/** A program beside the app, such as a database: started once for each row and side, and ended after the row. */
const service = v.strictObject({
  /** `{host}`, `{port}`, `{data}` (its own empty folder, in which it is started) and `{folder}` (of this file). */
  command: argv,
  env: v.optional(v.record(text, v.string()), {}),
  /** When it is ready: it accepts connections, answers a request with a status below 400, or a command ends with 0. */
  ready: v.optional(
    v.union([
      v.strictObject({ port: v.literal(true) }),
      v.strictObject({ http: v.pipe(v.string(), v.startsWith("/")) }),
      v.strictObject({ command: argv }),
    ]),
    { port: true },
  ),
  /** Seconds until it is ready. */
  timeout: v.optional(seconds, 30),
});
export type ServiceEntry = v.InferOutput<typeof service>;

export const serversFile = v.strictObject({
  $schema: v.optional(v.string()),
  servers: v.optional(v.record(name, orExtending(server, extendingServer)), {}),
  apps: v.optional(v.record(name, app), {}),
  services: v.optional(v.record(name, service), {}),
  requests: v.optional(v.record(name, request), {}),
});
export type ServersFile = v.InferOutput<typeof serversFile>;

/** A whole number, or a share of the CPUs: `cores`, `cores/2`, `cores*0.4` (rounded, at least 1). */
const scaled = v.union([
  knobValue,
  v.pipe(v.string(), v.regex(/^cores([*/]\d+(\.\d+)?)?$/, "cores, cores/2 or cores*0.4")),
]);

/** Each one is a case, and a results file has every case once. */
const concurrencies = v.pipe(
  v.array(count),
  v.minLength(1),
  v.check((counts) => new Set(counts).size === counts.length, "each concurrency once"),
);

const rowFields = {
  server: v.optional(name),
  /** Default: the app of the interface's name. */
  app: v.optional(name),
  interface: v.optional(interfaceName),
  request: v.optional(name),
  /** Several requests instead of one: name -> weight. The load generator draws one of them for each request. */
  requests: v.optional(
    v.pipe(
      v.record(name, weight),
      v.minEntries(2, "at least two requests"),
      v.maxEntries(REQUESTS_PER_ROW_MAX, `at most ${REQUESTS_PER_ROW_MAX} requests`),
    ),
  ),
  /** false: a new connection for each request. */
  "keep-alive": v.optional(v.boolean()),
  /** HTTPS, with a certificate that is made for the run. */
  tls: v.optional(v.boolean()),
  /**
   * Requests per second, sent by a clock whatever the answers do; oha alone can. `50%`: of the server's own maximum, which is
   * measured first.
   */
  rate: v.optional(
    v.union([
      v.pipe(v.number(), v.minValue(1, "1 or more"), v.maxValue(1_000_000, "at most 1000000")),
      v.pipe(v.string(), v.regex(/^([1-9]\d?|100)%$/, "a number, or a share of the server's maximum such as 50%")),
    ]),
  ),
  /** Over a unix socket instead of TCP; oha alone can. */
  "unix-socket": v.optional(v.boolean()),
  /** Connections that are held open beside the load and send nothing. */
  "idle-connections": v.optional(v.pipe(count, v.maxValue(50_000, "at most 50000"))),
  knobs: v.optional(v.record(name, scaled)),
  http: v.optional(v.picklist([1, 2])),
  /** Concurrent HTTP/2 requests on one connection. */
  streams: v.optional(count),
  /** One or several concurrencies; of several, the best one is reported. */
  connections: v.optional(v.union([count, concurrencies])),
  /** The concurrency of the quick profile, where requests are too slow for the others; default: the first of them. */
  "quick-connections": v.optional(count),
  /** Seconds after which a request counts as failed. */
  timeout: v.optional(seconds),
  /** Waits on purpose (long I/O): an idle server is then not taken for one that waits for the client. */
  waits: v.optional(v.boolean()),
  /** Default: oha, and ghz for gRPC. */
  generator: v.optional(v.picklist(GENERATORS)),
  /** Threads of the load generator; default: as many as it has CPUs. */
  "generator-threads": v.optional(count),
  /** Beside a base, compare latency at a fixed rate too (p50 and p99); oha alone can. */
  latency: v.optional(v.boolean()),
  /** Measure the time to the first right answer, and the memory after it; beside a base both are compared. */
  startup: v.optional(v.boolean()),
  env: v.optional(v.record(text, v.string())),
};

const row = v.strictObject({
  /** Text of the first column; `{knob-name}`, `{server}` and `{interface}` are replaced. */
  title,
  /** Heading of the table that the row belongs to. */
  group: v.optional(title),
  ...rowFields,
  /** One row for every combination of these knob values. */
  matrix: v.optional(v.record(name, v.pipe(v.array(scaled), v.minLength(1)))),
});
export type RowEntry = v.InferOutput<typeof row>;

const completeSet = v.strictObject({
  $schema: v.optional(v.string()),
  title,
  description: v.optional(text),
  /** Heading of the first column. */
  label: v.optional(title, "Request"),
  /** Heading of a column before all others with the concurrency: each one is then a line, ordered by it, not the best alone. */
  "connections-column": v.optional(title),
  /** Columns of knob values before that one: heading -> knob. */
  "lead-columns": v.optional(v.record(text, name), {}),
  /** Further columns of knob values, between the first one and the metrics: heading -> knob; `python` is the row's Python. */
  "knob-columns": v.optional(v.record(text, name), {}),
  columns: v.optional(v.pipe(v.array(metricColumn), v.minLength(1), v.maxLength(COLUMNS_MAX)), [
    "requests",
    "rps",
    "mean",
    "max",
  ]),
  /** The row with the highest throughput among those with the same value of this knob is set in bold. */
  "bold-best-per": v.optional(name),
  /** Metrics that are drawn as bar charts too, one chart for each table. */
  charts: v.optional(v.array(metricColumn), []),
  /** Every row under every Python that is found on the machine, or under these; the knob `python` distinguishes them. */
  pythons: v.optional(v.union([v.literal("all"), v.pipe(v.array(pythonVersion), v.minLength(1))])),
  /** Measured seconds of a case in the standard profile. */
  window: v.optional(seconds),
  defaults: v.optional(v.strictObject(rowFields), {}),
  rows: v.pipe(v.array(row), v.minLength(1)),
});
export type SetFile = v.InferOutput<typeof completeSet>;

/** A set with the rows and defaults of another one before its own. */
const extendingSet = v.strictObject({
  extends: name,
  ...v.partial(completeSet).entries,
});
export type ExtendingSet = v.InferOutput<typeof extendingSet>;

export const setFile = orExtending(completeSet, extendingSet);
