/** A scenario set -> rows with everything resolved: server command, environment, request, windows. */
import { join } from "node:path";
import { InputError, messageOf } from "../errors.js";
import { ID_CHARACTERS, KNOBS_MAX, TITLE_CHARACTERS } from "../results/limits.js";
import { appFolder, plannedInstall, plannedPreparation } from "./app.js";
import { checkColumns } from "./columns.js";
import { canonical } from "./distribution-name.js";
import { combinations, type ResolvedKnobs, resolveKnobs, scaleToCores } from "./knobs.js";
import { checkLatency } from "./latency.js";
import { ROWS_PER_SET_MAX } from "./limits.js";
import type { Library, LocatedEntry } from "./load.js";
import { methodology } from "./methodology.js";
import { unknownName } from "./nearest.js";
import { windowSec } from "./profile.js";
import { PYTHON_KNOB, pythonsOf } from "./pythons.js";
import { generatorOf } from "./request.js";
import { distributionOf, withoutVersion, withSpec } from "./requirements.js";
import { rowRequests } from "./row-requests.js";
import type { AppEntry, KnobValue, RowEntry, ServerEntry, SetFile } from "./schema.js";
import type { Source } from "./source.js";
import { checkHttp, commandOf, plannedTraffic, tlsArguments } from "./traffic.js";
import type { InterfaceName, PlannedRow, PlannedServer, PlannedSet, Profile, PythonChoice } from "./types.js";

export interface ExpandOptions {
  readonly profile: Profile;
  /** CPUs that `cores` stands for in a scenario file. */
  readonly cores: number;
  /** Folder of the launcher scripts that `{launchers}` stands for. */
  readonly launchers: string;
  /** Server name -> what to install instead of its pin. */
  readonly serverSpecs: ReadonlyMap<string, string>;
  readonly cwd: string;
  /** Folder of the user's scenario files. */
  readonly scenarios?: string | undefined;
  readonly python?: string | undefined;
  /** The Pythons found, for sets that run under each of them. */
  readonly pythons?: readonly PythonChoice[];
}

/** For a set under several Pythons: the label of the one that these rows run under. */
interface RowOptions extends ExpandOptions {
  readonly pythonLabel?: string;
}

/** Columns without figures in oha's summary. */
const EVERY_LATENCY = new Set(["p60", "p70", "p80"]);

/** @throws InputError that names file, line, field and value. */
export function expandSet(name: string, source: Source<SetFile>, library: Library, options: ExpandOptions): PlannedSet {
  const set = source.value;
  checkCharts(source);
  const rows: PlannedRow[] = [];
  const seen = new Map<string, string>();
  for (const python of pythonsOf(set.pythons, options.pythons ?? [], options.python)) {
    const under = python === undefined ? options : { ...options, python: python.request, pythonLabel: python.label };
    for (const [index, row] of set.rows.entries()) {
      const at = source.at(["rows", index]);
      const matrix = within(source.at(["rows", index, "matrix"]), () => combinations(row.matrix ?? {}, options.cores));
      for (const combination of matrix) {
        if (rows.length === ROWS_PER_SET_MAX)
          throw new InputError(`${at}: up to here the set has more than ${ROWS_PER_SET_MAX} rows: split the set`);
        const planned = within(at, () => checkLatency(expandRow(name, set, row, combination, library, under)));
        const other = seen.get(planned.id);
        if (other) throw new InputError(`${at}: the row's id "${planned.id}" is taken by ${other}; change its title`);
        seen.set(planned.id, at);
        rows.push(planned);
      }
    }
  }
  checkColumns(source, rows);
  const column = set["connections-column"];
  const shown = { rows, ...(column !== undefined && { connectionsColumn: column }) };
  return {
    name,
    title: set.title,
    ...(set.description === undefined ? {} : { description: set.description.trim() }),
    methodology: methodology(shown, options.profile),
    rowOrder: rows.map(({ id }) => id),
    label: set.label,
    ...shown,
    leadColumns: set["lead-columns"],
    knobColumns: set["knob-columns"],
    columns: set.columns,
    ...(set["bold-best-per"] === undefined ? {} : { boldBestPer: set["bold-best-per"] }),
    charts: set.charts,
  };
}

function checkCharts({ value: { charts }, at }: Source<SetFile>): void {
  for (const [index, chart] of charts.entries())
    if (charts.indexOf(chart) < index) throw new InputError(`${at(["charts", index])}: "${chart}" is there twice`);
}

function within<T>(at: string, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${at}: ${messageOf(error)}`);
  }
}

function expandRow(
  setName: string,
  set: SetFile,
  row: RowEntry,
  combination: Readonly<Record<string, KnobValue>>,
  library: Library,
  options: RowOptions,
): PlannedRow {
  const merged = { ...set.defaults, ...row };
  const entries = entriesOf(merged, library);
  const { serverName, server, app, interfaceName } = entries;
  const spoken = merged.tls && server.tls ? server.tls.http : server.http;
  const http = merged.http ?? spoken[0] ?? 1;
  const generator = generatorOf(merged.generator, interfaceName, http);
  const traffic = plannedTraffic(merged, { generator, http, server, name: serverName });
  checkHttp(serverName, server, http, traffic.tls ?? false);
  const find = (name: string | undefined) => named(library.requests, "request", name);
  const requests = rowRequests(set.defaults, row, find, { interfaceName, generator });
  const asked = { ...set.defaults.knobs, ...row.knobs, ...combination };
  const command = commandOf(server, traffic);
  const knobs = rowKnobs(entries, asked, { http, traffic, command }, options);
  const title = filled(row.title, { ...knobs.values, server: server.title, interface: interfaceName });
  const id = `${setName}/${slug(title, { ...combination, ...pythonKnob(options) }, row.group)}`;
  checkNames({ id, title, knobs: Object.keys(knobs.values).length });
  const install = plannedInstall(entries.appName, app);
  const env = { ...set.defaults.env, ...row.env };
  const texts = [...command, ...Object.values({ ...server.env, ...env })];
  const preparation = plannedPreparation(app, library.services, texts);
  return {
    id,
    set: setName,
    title,
    ...(row.group === undefined ? {} : { group: row.group }),
    knobs: knobs.values,
    server: plannedServer(entries, knobs, { command, env, launchers: options.launchers }),
    environment: plannedEnvironment(entries, knobs, install, options),
    ...(preparation && { preparation }),
    ...requests,
    ...traffic,
    http,
    streams: rowStreams(merged.streams, row.streams, http),
    connections: rowConnections(merged, options.profile),
    timeoutSec: merged.timeout ?? DEFAULT_TIMEOUT_SEC,
    waits: merged.waits ?? false,
    generator,
    ...(merged["generator-threads"] === undefined ? {} : { generatorThreads: merged["generator-threads"] }),
    windowSec: windowSec(options.profile, set.window),
    everyLatency: set.columns.some((column) => EVERY_LATENCY.has(column)),
    ...(set.columns.includes("first-byte") && { firstByte: true }),
    ...((merged.latency === true || merged.rate !== undefined) && { latency: true }),
    ...(merged.startup && { startup: true }),
  };
}

/** Concurrent requests on one connection. A set's value is for its rows of HTTP/2. @throws Error where a row of HTTP/1 asks for them */
function rowStreams(merged: number | undefined, ofRow: number | undefined, http: 1 | 2): number {
  if (http === 2) return merged ?? 1;
  if (ofRow !== undefined && ofRow > 1)
    throw new Error(
      `streams: ${ofRow} needs HTTP/2: a connection of HTTP/1 has one request at a time; raise \`connections\` instead`,
    );
  return 1;
}

/** What a row names, as the scenario files describe it. */
interface RowEntries {
  readonly serverName: string;
  readonly server: ServerEntry;
  readonly appName: string;
  readonly app: LocatedEntry<AppEntry>;
  readonly interfaceName: InterfaceName;
}

/** @throws Error for a name that is not known, or an app that the server cannot run */
function entriesOf(row: SetFile["defaults"], library: Library): RowEntries {
  const { value: server } = named(library.servers, "server", row.server);
  const serverName = row.server ?? "";
  const appName = row.app ?? row.interface ?? onlyInterface(serverName, server);
  const app = named(library.apps, "app", appName);
  const interfaceName = agreedInterface(serverName, server, appName, app.value, row.interface);
  return { serverName, server, appName, app, interfaceName };
}

interface RowStart {
  readonly http: 1 | 2;
  readonly traffic: ReturnType<typeof plannedTraffic>;
  readonly command: readonly string[];
}

/** What the row, its set and its matrix ask for, with what its HTTP version, TLS and Python add. */
function rowKnobs(
  { serverName, server, interfaceName }: RowEntries,
  asked: Readonly<Record<string, KnobValue>>,
  { http, traffic, command }: RowStart,
  options: RowOptions,
): ResolvedKnobs {
  const scaled: Record<string, KnobValue> = {};
  for (const [name, value] of Object.entries(asked)) scaled[name] = scaleToCores(value, options.cores);
  const automatic = "http" in server.knobs ? { http: String(http) } : {};
  const resolved = resolveKnobs(serverName, server, interfaceName, scaled, { automatic, command });
  return {
    ...resolved,
    args: [...resolved.args, ...tlsArguments(server, traffic)],
    values: { ...resolved.values, ...pythonKnob(options) },
  };
}

function pythonKnob({ pythonLabel }: RowOptions): Readonly<Record<string, KnobValue>> {
  return pythonLabel === undefined ? {} : { [PYTHON_KNOB]: pythonLabel };
}

/** A profile without a sweep measures one concurrency. */
function rowConnections(row: SetFile["defaults"], { sweep }: Profile): readonly number[] {
  const { connections = [DEFAULT_CONNECTIONS] } = row;
  const all = typeof connections === "number" ? [connections] : connections;
  return sweep ? all : [row["quick-connections"] ?? all[0] ?? 1];
}

function plannedEnvironment(
  { serverName, server, app }: RowEntries,
  knobs: ResolvedKnobs,
  install: ReturnType<typeof plannedInstall>,
  options: ExpandOptions,
): PlannedRow["environment"] {
  const spec = options.serverSpecs.get(serverName);
  // What the user asks for on the command line comes before the app's own Python.
  const python = options.python ?? app.value.python;
  const ofServer = spec === undefined ? server.requires : withSpec(server, spec, options.cwd);
  const own = app.value.requires.map((one) =>
    spec !== undefined && distributionOf(one) === canonical(server.distribution) ? withoutVersion(one) : one,
  );
  return {
    server: serverName,
    requires: [...ofServer, ...knobs.requires, ...own],
    distribution: server.distribution,
    ...(python === undefined ? {} : { python }),
    systemPackages: server["system-packages"],
    ...(install && { install }),
    ...(spec !== undefined && { chosen: [server.distribution] }),
    ...(own.length > 0 && { own }),
    ...(server.older && { older: server.older }),
    ...(options.scenarios !== undefined && { scenarios: options.scenarios }),
  };
}

/** What a results file can hold. */
function checkNames({ id, title, knobs }: Pick<PlannedRow, "id" | "title"> & { readonly knobs: number }): void {
  if (title.length > TITLE_CHARACTERS)
    throw new Error(`the title has ${title.length} characters, at most ${TITLE_CHARACTERS}`);
  if (id.length > ID_CHARACTERS)
    throw new Error(
      `the row's name (set, group, title and matrix) has ${id.length} characters, at most ${ID_CHARACTERS}: shorten its title or the values of its matrix`,
    );
  if (knobs > KNOBS_MAX) throw new Error(`the row has ${knobs} knobs, at most ${KNOBS_MAX}`);
}

/** A request that takes longer counts as failed; no healthy row of the reference pages comes near. */
const DEFAULT_TIMEOUT_SEC = 10;
const DEFAULT_CONNECTIONS = 64;

function named<T>(
  entries: ReadonlyMap<string, LocatedEntry<T>>,
  kind: string,
  name: string | undefined,
): LocatedEntry<T> {
  if (name === undefined) throw new Error(`no ${kind}: name one here or in the set's defaults`);
  const entry = entries.get(name);
  if (!entry) throw new Error(unknownName(kind, name, [...entries.keys()]));
  return entry;
}

function onlyInterface(name: string, server: ServerEntry): InterfaceName {
  const [first, ...others] = server.interfaces;
  if (first === undefined || others.length > 0) {
    throw new Error(`server "${name}" speaks ${server.interfaces.join(", ")}: say which with "interface" or "app"`);
  }
  return first;
}

function agreedInterface(
  serverName: string,
  server: ServerEntry,
  appName: string,
  app: AppEntry,
  asked: InterfaceName | undefined,
): InterfaceName {
  if (asked !== undefined && asked !== app.interface) {
    throw new Error(`app "${appName}" is ${app.interface}, not ${asked}`);
  }
  if (!server.interfaces.includes(app.interface)) {
    throw new Error(
      `server "${serverName}" does not speak ${app.interface} (app "${appName}"); it speaks ${server.interfaces.join(", ")}`,
    );
  }
  return app.interface;
}

function plannedServer(
  { serverName, server, app, interfaceName }: RowEntries,
  knobs: ResolvedKnobs,
  {
    command,
    env,
    launchers,
  }: {
    readonly command: readonly string[];
    readonly env: Readonly<Record<string, string>>;
    readonly launchers: string;
  },
): PlannedServer {
  const cwd = appFolder(app);
  const { target, args } = targetArguments(serverName, server, app.value, command);
  const known = {
    ...knobs.values,
    interface: interfaceName,
    target,
    "app-dir": cwd,
    launchers,
    host: "{host}",
    port: "{port}",
    socket: "{socket}",
  };
  return {
    name: serverName,
    title: server.title,
    interface: interfaceName,
    target: app.value.target,
    command: command.flatMap((arg) => (arg === "{knobs}" ? [...knobs.args, ...args] : [filled(arg, known)])),
    cwd,
    env: filledVariables({ ...server.env, ...app.value.env, ...env }, known),
    readyTimeoutSec: server["ready-timeout"],
  };
}

/**
 * Some servers call a function by themselves where `()` follows its name; others need an argument for that.
 * @throws Error where the command has no place for it
 */
function targetArguments(name: string, { factory }: ServerEntry, { target }: AppEntry, command: readonly string[]) {
  if (factory === undefined || !target.endsWith("()")) return { target, args: [] };
  if (!command.includes("{knobs}") && !factory.every((arg) => command.includes(arg)))
    throw new Error(
      `"${target}" is a function: the command of server "${name}" has no element "{knobs}", which ${factory.join(" ")} would follow`,
    );
  return { target: target.slice(0, -2), args: factory };
}

/** A name in braces (`NAME` in name.ts), such as a knob's. */
const PLACEHOLDER = /\{([a-z0-9][a-z0-9.-]*)\}/g;

/** Replaces `{name}`. Digits alone, as in `x{3}`, are text where no knob has this name. @throws Error for a name that is not known. */
function filled(text: string, values: Readonly<Record<string, KnobValue>>): string {
  return text.replaceAll(PLACEHOLDER, (whole, name: string) => {
    const value = values[name];
    if (value === undefined && !/[a-z]/.test(name)) return whole;
    if (value === undefined)
      throw new Error(`${JSON.stringify(text)}: ${unknownName("placeholder", whole, Object.keys(values))}`);
    return String(value);
  });
}

/** The same for variables, whose other braces are the app's own. */
function filledVariables(env: Readonly<Record<string, string>>, values: Readonly<Record<string, KnobValue>>) {
  const known = (whole: string, name: string) => (Object.hasOwn(values, name) ? String(values[name]) : whole);
  return Object.fromEntries(Object.entries(env).map(([name, text]) => [name, text.replaceAll(PLACEHOLDER, known)]));
}

/** `RSGI bytes` -> `rsgi-bytes`; group and matrix values make it unique and keep it stable. */
export function slug(title: string, combination: Readonly<Record<string, KnobValue>>, group = ""): string {
  const matrix = Object.entries(combination).map(([name, value]) => `${name}-${value}`);
  return [group, title, ...matrix]
    .join(" ")
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}

/** Folder of the launchers, beside the apps. */
export function launchersFolder(root: string): string {
  return join(root, "python-apps", "launchers");
}
