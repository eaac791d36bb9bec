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
  extends: text("Starts from this server; nothing else is needed then.", "granian"),
  title: text("Name in tables.", "Granian tuned"),
  distribution: text("Package that has its version.", "granian"),
  requires: text("Requirements, installed in one environment.", "[granian==2.8.7]"),
  older: text("What older releases need too.", '[{ before: "21.0", requires: [setuptools<81] }]'),
  interfaces: text("What it serves.", "[asgi, wsgi]"),
  http: text("HTTP versions, the default first.", "[1, 2]"),
  command: text(
    "Command line. `{host}`, `{port}`, `{interface}`, `{target}` and `{app-dir}` are replaced, `{knobs}` by the knobs' arguments.",
    '[granian, --host, "{host}", --port, "{port}", "{knobs}", "{target}"]',
  ),
  env: text("Environment variables.", '{ UVICORN_LIMIT_CONCURRENCY: "512" }'),
  knobs: text("Settings that rows can choose.", '{ threads: { args: [--threads, "{value}"], default: 1 } }'),
  "system-packages": text("Debian packages, named when the installation fails.", "[build-essential]"),
  released: text("Day of its release.", '"2026-10-28"'),
  unix: text("Command with `{socket}` for unix sockets.", '[waitress-serve, "--unix-socket={socket}", "{target}"]'),
  factory: text("Arguments for an app such as `shop:create_app()`.", "[--factory]"),
  tls: text("How it speaks TLS.", '{ args: [--certfile, "{cert}", --keyfile, "{key}"] }'),
  "ready-timeout": text("Seconds until the first right answer.", "60"),
};

const OLDER: Texts = {
  before: text("First release that does not.", '"21.0"'),
  requires: text("Requirements.", "[setuptools<81]"),
};

const KNOB: Texts = {
  interfaces: text("Only for these.", "[wsgi]"),
  args: text("Arguments of a number.", '[--threads, "{value}"]'),
  choices: text("Arguments of each value.", "{ asyncio: { args: [--loop, asyncio] }, uvloop: {} }"),
  default: text("Value where a row names none.", "uvloop"),
};

const CHOICE: Texts = {
  args: text("Arguments.", "[--loop, uvloop]"),
  requires: text("Further requirements.", "[uvloop==0.23.0]"),
  interfaces: text("Only for these.", "[asgi]"),
};

const TLS: Texts = {
  args: text("Arguments; `{cert}` and `{key}` are PEM files.", '[--certfile, "{cert}", --keyfile, "{key}"]'),
  http: text("HTTP versions within TLS.", "[1, 2]"),
};

const INSTALL: Texts = {
  requirements: text("Requirements files, or a pyproject.toml.", "[requirements.txt]"),
  lock: text("Exactly these versions.", "uv.lock"),
  project: text("Folder of a project to install.", "."),
  extras: text("Its extras.", "[prod]"),
  groups: text("Dependency groups.", "[web]"),
  editable: text("Installs it editable.", "true"),
};

const SERVICE: Texts = {
  command: text(
    "Program. `{host}`, `{port}`, `{data}` (an empty folder) and `{folder}` (of this file) are replaced.",
    '[redis-server, --port, "{port}", --dir, "{data}"]',
  ),
  env: text("Environment variables.", "{ TZ: UTC }"),
  ready: text("When the server may start.", "{ port: true }"),
  timeout: text("Seconds until then.", "30"),
};

const READY: Texts = {
  port: text("The port accepts connections.", "true"),
  http: text("This path answers with a status below 400.", "/health"),
  command: text("This command succeeds.", '[pg_isready, -p, "{port}"]'),
};

const APP: Texts = {
  interface: text("What it is.", "asgi"),
  path: text("Folder to import from, relative to this file.", ".."),
  target: text("As `module:object`.", '"shop.main:app"'),
  requires: text("Requirements; they win over the server's.", "[fastapi==0.165.0]"),
  install: text("Its own files of requirements.", "{ lock: uv.lock }"),
  python: text("Its Python.", '"3.13"'),
  env: text("Environment variables; no secrets.", "{ DJANGO_SETTINGS_MODULE: shop.settings }"),
  before: text("Commands before the server starts.", "[[python, manage.py, migrate]]"),
  "before-timeout": text("Seconds for each.", "120"),
  services: text("Services that it needs.", "[cache]"),
};

const REQUEST: Texts = {
  method: text("Default: `GET`, for gRPC `POST`.", "POST"),
  path: text("With or without a query.", "/search?q=shoes"),
  query: text("Added to the path.", "{ q: shoes, page: 2 }"),
  grpc: text("gRPC call instead of a path.", "{ proto: shop.proto, call: shop.Shop/Find }"),
  headers: text("For gRPC metadata.", "{ accept: application/json }"),
  body: text("What is sent.", '{ text: "q=shoes" }'),
  expect: text("The right answer; all others are failures.", "{ status: 200, body: { text: ok } }"),
};

const GRPC: Texts = {
  proto: text("Relative to this file.", "shop.proto"),
  call: text("Service and method.", "shop.Shop/Find"),
};

const BODY: Texts = {
  text: text("This text.", '"Hello"'),
  repeat: text("One character, `size` times.", "x"),
  size: text("Bytes.", "10000"),
  file: text("A file, relative to this one.", "image-95.png"),
  message: text("Protocol Buffers: field number to value.", '{ "1": Done }'),
  json: text("This value as JSON.", "{ q: shoes }"),
};

const BODY_CHECK: Texts = {
  ...BODY,
  size: text("Bytes, or the least and the most.", "1200"),
  json: text("JSON that holds at least this.", "{ total: 3 }"),
  regex: text("JavaScript expression that matches a part.", '"Welcome, .+"'),
};

const EXPECT: Texts = {
  status: text("Status.", "201"),
  type: text("Media type.", "application/json"),
  body: text("`echo`: the request's own; `any`: not checked.", "any"),
};

const SET: Texts = {
  extends: text("Starts with the rows and defaults of this set.", "interfaces"),
  title: text("Heading.", "Shop"),
  description: text("Text below it.", "The pages that customers see first."),
  label: text("Heading of the first column.", "Page"),
  "connections-column": text("Heading; each concurrency is then a line.", "Concurrency"),
  "lead-columns": text("Knob columns before that one.", "{ Mode: runtime-mode }"),
  "knob-columns": text("Knob columns after the first one.", "{ Threads: threads }"),
  columns: text("Figures.", "[rps, p50, p99, failures]"),
  "bold-best-per": text("Marks the fastest for each value of this knob.", "runtime-mode"),
  charts: text("Figures drawn as bars.", "[rps]"),
  pythons: text("Every row under these, or `all`.", '["3.12", "3.13"]'),
  window: text("Measured seconds.", "5"),
  defaults: text("Fields of all rows.", "{ app: shop, server: uvicorn }"),
  rows: text("The benchmarks.", "[{ title: Home, request: home }]"),
};

const ROW: Texts = {
  title: text("`{server}`, `{interface}` and `{KNOB}` are replaced.", '"{threads} threads"'),
  group: text("Heading of its table.", "Static pages"),
  server: text("Needed here or in `defaults`.", "uvicorn"),
  app: text("Default: the built-in app of the interface.", "shop"),
  interface: text("Where the server has several and no app is named.", "asgi"),
  request: text("This or `requests`, here or in `defaults`.", "home"),
  requests: text("Names and weights of 2 to 100.", "{ home: 3, item: 1 }"),
  "keep-alive": text("A new connection for each request.", "false"),
  tls: text("HTTPS.", "true"),
  rate: text("Requests per second, or a share of the maximum.", "50%"),
  "unix-socket": text("Instead of TCP.", "true"),
  "idle-connections": text("Silent connections.", "1000"),
  knobs: text("Settings; `cores/2` is half of the CPUs.", "{ threads: 2, workers: cores/2 }"),
  http: text("HTTP version.", "2"),
  streams: text("Requests at once on an HTTP/2 connection.", "10"),
  connections: text("Default: 64.", "[64, 256]"),
  "quick-connections": text("In the quick profile.", "16"),
  timeout: text("Seconds for a request; default: 10.", "30"),
  waits: text("The app waits on purpose, so an idle server is not called client-bound.", "true"),
  generator: text("Default: `oha`, for gRPC `ghz`.", "wrk"),
  "generator-threads": text("Its threads.", "8"),
  latency: text("Compares p50 and p99 too.", "true"),
  startup: text("Measures the start.", "true"),
  env: text("Environment variables.", "{ DJANGO_SETTINGS_MODULE: shop.settings }"),
  matrix: text("One row for each combination of knobs.", "{ threads: [1, 2, 4] }"),
};

export const FIELD_TEXTS: Readonly<Record<string, Texts>> = {
  "servers.*": SERVER,
  "servers.*.older": OLDER,
  "servers.*.knobs.*": KNOB,
  "servers.*.knobs.*.choices.*": CHOICE,
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
