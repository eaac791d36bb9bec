/** Meaning and example of each field of scenario files. A test compares the names with the schema and checks the examples. */

interface FieldText {
  readonly meaning: string;
  /** The field's value, as YAML. */
  readonly example: string;
}

type Texts = Readonly<Record<string, FieldText>>;

function text(meaning: string, example: string): FieldText {
  return { meaning, example };
}

const SERVER: Texts = {
  extends: text(
    "The entry starts from this server: lists of requirements add up, mappings merge, all else replaces. Only `extends` is needed then.",
    "granian",
  ),
  title: text("Name in tables.", "Granian tuned"),
  distribution: text("The package whose version is shown as the server's.", "granian"),
  requires: text(
    "pip requirements. They are installed together in one environment.",
    "[granian==2.8.7, uvloop==0.23.0]",
  ),
  older: text(
    "What releases of the package before one need besides, where an app or `--server` brings such a release.",
    '[{ before: "21.0", requires: [setuptools<81] }]',
  ),
  interfaces: text("What it can serve.", "[asgi, wsgi]"),
  http: text("HTTP versions; `2` is cleartext by prior knowledge. The first one is the default.", "[1, 2]"),
  command: text(
    "The command line as a list. `{host}`, `{port}`, `{interface}`, `{target}` and `{app-dir}` are replaced; `{knobs}` becomes the knobs' arguments. A row's knob that has no place here is refused.",
    '[granian, --host, "{host}", --port, "{port}", "{knobs}", "{target}"]',
  ),
  env: text("Environment variables of the server.", '{ UVICORN_LIMIT_CONCURRENCY: "512" }'),
  knobs: text("Settings that a row can choose.", '{ threads: { args: [--threads, "{value}"], default: 1 } }'),
  "system-packages": text("Debian packages that are named when the installation fails.", "[build-essential]"),
  released: text("The day on which that version was released. The documentation shows it.", '"2026-10-28"'),
  unix: text(
    "Its command where it listens on a unix socket. `{socket}` is the path. Without it, a row with `unix-socket: true` is refused.",
    '[waitress-serve, "--unix-socket={socket}", "{knobs}", "{target}"]',
  ),
  factory: text(
    "Arguments for an app whose `target` is a function that makes it, such as `shop:create_app()`. They follow the knobs, and `{target}` is then `shop:create_app`. Without them `{target}` keeps its `()`.",
    "[--factory]",
  ),
  tls: text(
    "How it speaks TLS. Without it, a row with `tls: true` is refused.",
    '{ args: [--certfile, "{cert}", --keyfile, "{key}"] }',
  ),
  "ready-timeout": text("Seconds until the first right answer.", "60"),
};

const OLDER: Texts = {
  before: text("The first release that does not need them.", '"21.0"'),
  requires: text("pip requirements of the releases before it.", "[setuptools<81]"),
};

const KNOB: Texts = {
  interfaces: text("The knob exists for these interfaces alone.", "[wsgi]"),
  args: text("Arguments of a knob that is a number; `{value}` is replaced.", '[--threads, "{value}"]'),
  choices: text("Arguments for each value of a closed list.", "{ asyncio: { args: [--loop, asyncio] }, uvloop: {} }"),
  default: text("Its value where a row names none.", "uvloop"),
};

const CHOICE: Texts = {
  args: text("Arguments of this value.", "[--loop, uvloop]"),
  requires: text("pip requirements of this value.", "[uvloop==0.23.0]"),
  interfaces: text("The value exists for these interfaces alone.", "[asgi]"),
};

const TLS: Texts = {
  args: text(
    "Arguments after `{knobs}`; `{cert}` and `{key}` are PEM files.",
    '[--certfile, "{cert}", --keyfile, "{key}"]',
  ),
  http: text("HTTP versions within TLS.", "[1, 2]"),
};

const INSTALL: Texts = {
  requirements: text(
    "Files of requirements: those of pip, or a pyproject.toml with a list of them. Where they have hashes, these are required.",
    "[requirements.txt]",
  ),
  lock: text("`uv.lock`, `poetry.lock` or `pylock.toml`: its versions, and no others.", "uv.lock"),
  project: text("Folder of the project, which is installed itself.", "."),
  extras: text("Extras of the project.", "[prod]"),
  groups: text("Dependency groups of the lock, or of the project's pyproject.toml.", "[web]"),
  editable: text("The project is installed editable.", "true"),
};

const SERVICE: Texts = {
  command: text(
    "The program as a list. `{host}`, `{port}`, `{data}` (an empty folder for it) and `{folder}` (of this file) are replaced.",
    '[redis-server, --port, "{port}", --dir, "{data}"]',
  ),
  env: text("Environment variables of the service.", "{ TZ: UTC }"),
  ready: text("When the app's server may start.", "{ port: true }"),
  timeout: text("Seconds until it is ready.", "30"),
};

const READY: Texts = {
  port: text("The port accepts connections.", "true"),
  http: text("A GET of this path answers with a status below 400.", "/health"),
  command: text("A command ends with exit code 0.", '[pg_isready, -p, "{port}"]'),
};

const APP: Texts = {
  interface: text("What the app is.", "asgi"),
  path: text("Folder that the app is imported from, relative to this file.", ".."),
  target: text("The app as `module:object`, as servers take it.", '"shop.main:app"'),
  requires: text(
    "pip requirements of the app, beside those of the server. Where both do not fit, these count.",
    "[fastapi==0.165.0]",
  ),
  install: text(
    "What the app needs, read from each side's own files: base gets base's versions. Paths are relative to `path`.",
    "{ lock: uv.lock }",
  ),
  python: text("Python of the app; default: that of the run.", '"3.13"'),
  env: text(
    "Environment variables of the app. Secrets do not belong here: the file is in the repository.",
    "{ DJANGO_SETTINGS_MODULE: shop.settings }",
  ),
  before: text(
    "Commands that run in the app's folder before the first server of a row starts, once for each side.",
    "[[python, manage.py, migrate]]",
  ),
  "before-timeout": text("Seconds for each of these commands.", "120"),
  services: text("Services that run beside the app. It sees SERVICE_NAME_HOST and SERVICE_NAME_PORT.", "[cache]"),
};

const REQUEST: Texts = {
  method: text("Default: `GET`, for gRPC `POST`.", "POST"),
  path: text("Path, with or without a query.", "/search?q=shoes"),
  query: text("Added to the path: name to value or values.", "{ q: shoes, page: 2 }"),
  grpc: text("A gRPC call instead of a path.", "{ proto: shop.proto, call: shop.Shop/Find }"),
  headers: text("Headers of the request; for gRPC metadata.", "{ accept: application/json }"),
  body: text("What is sent.", '{ text: "q=shoes" }'),
  expect: text(
    "The answer that counts as a success. Every other one is a failure.",
    "{ status: 200, body: { text: ok } }",
  ),
};

const GRPC: Texts = {
  proto: text("The `.proto` file, relative to this file.", "shop.proto"),
  call: text("The call.", "shop.Shop/Find"),
};

const BODY: Texts = {
  text: text("This text.", '"Hello"'),
  repeat: text("One character, `size` times.", "x"),
  size: text("Bytes of a body of one character.", "10000"),
  file: text("A file, relative to this file, or a payload file that server-bench makes.", "image-95.png"),
  message: text("Protocol Buffers: field number to value.", '{ "1": Done }'),
  json: text("This value as JSON.", "{ q: shoes }"),
};

const BODY_CHECK: Texts = {
  ...BODY,
  size: text("With `repeat` its bytes. Alone, the bytes of any body, or the least and the most.", "1200"),
  json: text("JSON that holds at least this.", "{ total: 3 }"),
  regex: text("A regular expression of JavaScript that matches a part of the body.", '"Welcome, .+"'),
};

const EXPECT: Texts = {
  status: text("Status of the right answer.", "201"),
  type: text("Media type of the right answer.", "application/json"),
  body: text(
    "The right body; `echo` is the request's own, `any` is not checked. Default: as in each side's first answers.",
    "any",
  ),
};

const SET: Texts = {
  extends: text("The set starts with the rows and defaults of this one. Only `extends` is needed then.", "interfaces"),
  title: text("Heading of the set.", "Shop"),
  description: text("Text below the heading.", "The pages that customers see first."),
  label: text("Heading of the first column.", "Page"),
  "connections-column": text("Heading of a column with the concurrency: each one is then a line.", "Concurrency"),
  "lead-columns": text("Columns of knob values before that one: heading to knob.", "{ Mode: runtime-mode }"),
  "knob-columns": text(
    "Columns of knob values after the first one: heading to knob. `python` is the row's Python.",
    "{ Threads: threads }",
  ),
  columns: text("Figures of the table.", "[rps, p50, p99, failures]"),
  "bold-best-per": text("Of the rows with the same value of this knob, the fastest is bold.", "runtime-mode"),
  charts: text("Figures that are drawn as bars too.", "[rps]"),
  pythons: text("Every row under every Python of the machine, or under these.", '["3.12", "3.13"]'),
  window: text("Measured seconds of a case; `--profile thorough` takes 30 at least, `quick` always 1.", "5"),
  defaults: text("Fields that all rows have.", "{ app: shop, server: uvicorn, connections: 64 }"),
  rows: text("The rows.", "[{ title: Home, request: home }]"),
};

const ROW: Texts = {
  title: text("Text of the first column. `{server}`, `{interface}` and `{KNOB}` are replaced.", '"{threads} threads"'),
  group: text("Heading of the table that the row belongs to.", "Static pages"),
  server: text("Name of a server. Needed here or in `defaults`.", "uvicorn"),
  app: text("Name of an app; default: the one that has the interface's name.", "shop"),
  interface: text("Needed where the server speaks several and no app is named.", "asgi"),
  request: text("Name of a request. This or `requests` is needed, here or in `defaults`.", "home"),
  requests: text(
    "Several requests instead of one, 2 to 100: name to weight. Only path and query may differ.",
    "{ home: 3, item: 1 }",
  ),
  "keep-alive": text("`false`: a new connection for each request.", "false"),
  tls: text("HTTPS, with a certificate that is made for the run.", "true"),
  rate: text(
    "Requests per second, sent by a clock whatever the answers do. `50%` is a share of the server's own maximum, which is measured first.",
    "500",
  ),
  "unix-socket": text("Over a unix socket instead of TCP. The server needs `unix`.", "true"),
  "idle-connections": text("Connections that are held open beside the load and send nothing.", "1000"),
  knobs: text(
    "Settings of the server. `cores`, `cores/2` and `cores*0.4` are shares of the CPUs.",
    "{ threads: 2, workers: cores/2 }",
  ),
  http: text("HTTP version; default: the server's first.", "2"),
  streams: text("Concurrent HTTP/2 requests on a connection; default: 1.", "10"),
  connections: text("One or several concurrencies; default: 64. Of several, tables show the best one.", "[64, 256]"),
  "quick-connections": text("Concurrency in the quick profile; default: the first of `connections`.", "16"),
  timeout: text("Seconds after which a request is a failure; default: 10.", "30"),
  waits: text(
    "The app waits on purpose: an idle server is then not taken for one that waits for the load generator.",
    "true",
  ),
  generator: text("Load generator; default: `oha`, for gRPC `ghz`.", "wrk"),
  "generator-threads": text("Threads of the load generator; default: one for each of its CPUs.", "8"),
  latency: text("Beside a base, also compare p50 and p99 at a fixed rate.", "true"),
  startup: text(
    "Measure the time from the start of the server to its first right answer, and its memory after that. Beside a base both are compared.",
    "true",
  ),
  env: text("Environment variables of the server for this row.", "{ DJANGO_SETTINGS_MODULE: shop.settings }"),
  matrix: text("One row for every combination of these knob values.", "{ threads: [1, 2, 4] }"),
};

export const FIELD_TEXTS: Readonly<Record<string, Texts>> = {
  "servers.*": SERVER,
  "servers.*.knobs.*": KNOB,
  "servers.*.knobs.*.choices.*": CHOICE,
  "servers.*.older": OLDER,
  "servers.*.tls": TLS,
  "apps.*": APP,
  "apps.*.install": INSTALL,
  "services.*": SERVICE,
  "services.*.ready": READY,
  "requests.*": REQUEST,
  "requests.*.grpc": GRPC,
  "requests.*.body": BODY,
  "requests.*.expect": EXPECT,
  "requests.*.expect.body": BODY_CHECK,
  set: SET,
  "set.rows": ROW,
};
