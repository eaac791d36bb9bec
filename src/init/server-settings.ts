/** A server's options -> the knobs of a row, and the interface that they show. */
import type { InterfaceName } from "../plan/types.js";

export type KnobValues = Readonly<Record<string, string | number>>;

interface ServerSettings {
  /** Name of the built-in server. */
  readonly server: string;
  readonly interface: InterfaceName | undefined;
  readonly knobs: KnobValues;
}

type Options = ReadonlyMap<string, string>;

/** @param options by their long names: `--threads` */
export function readSettings(server: string, options: Options): ServerSettings {
  return READERS[server]?.(options) ?? { server, interface: undefined, knobs: {} };
}

const LOOPS = ["asyncio", "uvloop"];
const GRANIAN_INTERFACES: ReadonlyMap<string, InterfaceName> = new Map([
  ["asgi", "asgi"],
  ["asginl", "asgi"],
  ["rsgi", "rsgi"],
  ["wsgi", "wsgi"],
]);

const READERS: Readonly<Record<string, (options: Options) => ServerSettings>> = {
  gunicorn: (options) => {
    const worker = options.get("--worker-class") ?? "";
    // `threads` is for gunicorn's own workers.
    if (/uvicorn/i.test(worker)) return { server: "gunicorn", interface: "asgi", knobs: { worker: "uvicorn-worker" } };
    if (worker === "asgi") return { server: "gunicorn", interface: "asgi", knobs: { worker } };
    const gevent = /gevent/.test(worker);
    const threads = gevent ? {} : counted(options, "--threads", "threads");
    return { server: "gunicorn", interface: "wsgi", knobs: { ...(gevent && { worker: "gevent" }), ...threads } };
  },
  uvicorn: (options) => ({
    server: "uvicorn",
    interface: "asgi",
    knobs: {
      ...chosen(options, "--http", "http-parser", ["h11", "httptools"]),
      ...chosen(options, "--loop", "loop", LOOPS),
    },
  }),
  hypercorn: (options) => ({
    server: "hypercorn",
    interface: "asgi",
    knobs: chosen(options, "--worker-class", "loop", LOOPS),
  }),
  daphne: () => ({ server: "daphne", interface: "asgi", knobs: {} }),
  granian: (options) => ({
    server: "granian",
    // Its own default is RSGI.
    interface: GRANIAN_INTERFACES.get(options.get("--interface") ?? "rsgi"),
    knobs: {
      ...chosen(options, "--loop", "loop", [...LOOPS, "rloop"]),
      ...chosen(options, "--runtime-mode", "runtime-mode", ["st", "mt"]),
      ...counted(options, "--runtime-threads", "threads"),
      ...counted(options, "--blocking-threads", "blocking-threads"),
      ...(options.has("--ws") && { websockets: "on" }),
    },
  }),
  uwsgi: (options) => {
    const gevent = counted(options, "--gevent", "async-cores");
    if ("async-cores" in gevent) return { server: "uwsgi-gevent", interface: "wsgi", knobs: gevent };
    return { server: "uwsgi", interface: "wsgi", knobs: counted(options, "--threads", "threads") };
  },
  waitress: (options) => ({ server: "waitress", interface: "wsgi", knobs: counted(options, "--threads", "threads") }),
  cheroot: (options) => ({ server: "cheroot", interface: "wsgi", knobs: counted(options, "--threads", "threads") }),
};

function counted(options: Options, option: string, knob: string): KnobValues {
  const value = Number(options.get(option));
  return Number.isSafeInteger(value) && value > 0 ? { [knob]: value } : {};
}

function chosen(options: Options, option: string, knob: string, choices: readonly string[]): KnobValues {
  const value = options.get(option);
  return value !== undefined && choices.includes(value) ? { [knob]: value } : {};
}
