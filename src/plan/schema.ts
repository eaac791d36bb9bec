/**
 * The shape of scenario files, in one place: it validates them and becomes `scenarios/schema.json` for editors.
 *
 * A folder of scenarios holds `servers.yml` (servers, apps and requests as data) and one file per scenario set.
 */
import * as v from "valibot";
import { COLUMNS_MAX, TITLE_CHARACTERS } from "../results/limits.js";
import { METRIC_COLUMN_NAMES } from "../results/metric-columns.js";
import { NAME } from "./name.js";

const name = v.pipe(v.string(), v.regex(NAME, "lower-case letters, digits, dots and dashes"));
const text = v.pipe(v.string(), v.minLength(1, "not empty"));
const title = v.pipe(text, v.maxLength(TITLE_CHARACTERS, `at most ${TITLE_CHARACTERS} characters`));
const count = v.pipe(v.number(), v.integer("a whole number"), v.minValue(1, "1 or more"));

export const INTERFACES = ["asgi", "rsgi", "wsgi", "grpc"] as const;
export const GENERATORS = ["oha", "wrk", "ghz", "websocket"] as const;
const metricColumn = v.picklist(METRIC_COLUMN_NAMES);

const interfaceName = v.picklist(INTERFACES);
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

const server = v.strictObject({
  title,
  /** The distribution whose version is shown as the server's version. */
  distribution: text,
  /** Requirement specifiers, installed together in one environment. */
  requires: v.pipe(v.array(text), v.minLength(1)),
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
  "ready-timeout": v.optional(count, 20),
});
export type ServerEntry = v.InferOutput<typeof server>;

const app = v.strictObject({
  interface: interfaceName,
  /** Folder of the app, relative to the file that names it. */
  path: text,
  /** module:object, as servers take it. */
  target: v.optional(text, "app:app"),
  requires: v.optional(v.array(text), []),
});
export type AppEntry = v.InferOutput<typeof app>;

const body = v.union([
  v.strictObject({ text: v.string() }),
  v.strictObject({ repeat: v.pipe(v.string(), v.length(1, "one character")), size: count }),
  v.strictObject({ file: text }),
  /** Protocol Buffers: field number -> value; a field with its default value is left out. */
  v.strictObject({
    message: v.record(
      v.pipe(v.string(), v.regex(/^[1-9]\d{0,8}$/, "a field number")),
      v.union([v.string(), v.pipe(v.number(), v.safeInteger("a whole number")), v.boolean()]),
    ),
  }),
]);
export type BodySpec = v.InferOutput<typeof body>;

/** An HTTP request by its path, or a gRPC call, whose bodies are messages. */
const request = v.strictObject({
  method: v.optional(v.picklist(["GET", "POST"])),
  path: v.optional(v.pipe(v.string(), v.startsWith("/"))),
  grpc: v.optional(
    v.strictObject({
      /** The .proto file, relative to the file that names it. */
      proto: text,
      call: v.pipe(v.string(), v.regex(/^[\w.]+\/\w+$/, "package.Service/Method")),
    }),
  ),
  /** For gRPC: metadata. */
  headers: v.optional(v.record(text, v.string()), {}),
  body: v.optional(body),
  expect: v.strictObject({
    status: v.optional(v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(599)), 200),
    /** The right body; `echo` is the request's own. */
    body: v.union([v.literal("echo"), body]),
  }),
});
export type RequestEntry = v.InferOutput<typeof request>;

export const serversFile = v.strictObject({
  $schema: v.optional(v.string()),
  servers: v.optional(v.record(name, server), {}),
  apps: v.optional(v.record(name, app), {}),
  requests: v.optional(v.record(name, request), {}),
});
export type ServersFile = v.InferOutput<typeof serversFile>;

/** A whole number, or a share of the CPUs: `cores`, `cores/2`, `cores*0.4` (rounded, at least 1). */
const scaled = v.union([
  knobValue,
  v.pipe(v.string(), v.regex(/^cores([*/]\d+(\.\d+)?)?$/, "cores, cores/2 or cores*0.4")),
]);

const rowFields = {
  server: v.optional(name),
  /** Default: the app of the interface's name. */
  app: v.optional(name),
  interface: v.optional(interfaceName),
  request: v.optional(name),
  knobs: v.optional(v.record(name, scaled)),
  http: v.optional(v.picklist([1, 2])),
  /** Concurrent HTTP/2 requests on one connection. */
  streams: v.optional(count),
  /** One or several concurrencies; of several, the best one is reported. */
  connections: v.optional(v.union([count, v.pipe(v.array(count), v.minLength(1))])),
  /** The concurrency of the quick profile, where requests are too slow for the others; default: the first of them. */
  "quick-connections": v.optional(count),
  /** Seconds after which a request counts as failed. */
  timeout: v.optional(count),
  /** Waits on purpose (long I/O): an idle server then does not mean that the client is slow. */
  waits: v.optional(v.boolean()),
  /** Default: oha, and ghz for gRPC. */
  generator: v.optional(v.picklist(GENERATORS)),
  /** Threads of the load generator; default: as many as it has CPUs. */
  "generator-threads": v.optional(count),
  /** Beside a base, compare latency at a fixed rate too (p50 and p99); oha alone can. */
  latency: v.optional(v.boolean()),
  env: v.optional(v.record(text, v.string())),
};

/** In quotes: YAML reads a bare 3.10 as 3.1. `t` is the build without the global lock. */
const pythonVersion = v.pipe(
  v.string(),
  v.regex(/^3\.\d+(\.\d+)?t?$/, 'a version in quotes, such as "3.13" or "3.14t"'),
);

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

export const setFile = v.strictObject({
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
  window: v.optional(count),
  defaults: v.optional(v.strictObject(rowFields), {}),
  rows: v.pipe(v.array(row), v.minLength(1)),
});
export type SetFile = v.InferOutput<typeof setFile>;
