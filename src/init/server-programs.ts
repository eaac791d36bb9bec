/** The programs that start servers, and how their command lines are spelt. */

export interface Program {
  /** Name of the built-in server. */
  readonly server: string;
  /** Other spellings of an option, and the one that is read. */
  readonly short: Readonly<Record<string, string>>;
  /** Options without a value. */
  readonly flags: ReadonlySet<string>;
}

export const PROGRAMS: Readonly<Record<string, Program>> = {
  gunicorn: {
    server: "gunicorn",
    short: { "-w": "--workers", "-k": "--worker-class" },
    flags: new Set([
      ...["--preload", "--reload", "--daemon", "-D", "--enable-stdio-inheritance", "-R", "--capture-output"],
      ...["--log-syslog", "--reuse-port", "--check-config", "--print-config", "--spew", "--initgroups"],
    ]),
  },
  uvicorn: {
    server: "uvicorn",
    short: {},
    flags: new Set([
      ...["--reload", "--factory", "--proxy-headers", "--access-log", "--use-colors"],
      ...["--server-header", "--date-header"],
    ]),
  },
  hypercorn: {
    server: "hypercorn",
    short: { "-w": "--workers", "-k": "--worker-class" },
    flags: new Set(["--reload", "--debug"]),
  },
  granian: {
    server: "granian",
    short: {},
    flags: new Set([
      ...["--reload", "--factory", "--ws", "--log", "--access-log", "--respawn-failed-workers", "--ssl-client-verify"],
      ...["--http1-keep-alive", "--http1-pipeline-flush", "--http2-adaptive-window"],
    ]),
  },
  daphne: { server: "daphne", short: {}, flags: new Set(["--proxy-headers"]) },
  uwsgi: {
    server: "uwsgi",
    short: { "-w": "--module", "-p": "--processes", "--workers": "--processes", "--wsgi": "--module" },
    flags: new Set(["--master", "-M", "--enable-threads", "--die-on-term", "--vacuum", "--lazy-apps", "--need-app"]),
  },
  "waitress-serve": { server: "waitress", short: {}, flags: new Set(["--call", "--expose-tracebacks"]) },
  cheroot: { server: "cheroot", short: {}, flags: new Set() },
};

/** What pip calls the programs. */
export const DISTRIBUTIONS: Readonly<Record<string, string>> = {
  granian: "granian",
  gunicorn: "gunicorn",
  uvicorn: "uvicorn",
  hypercorn: "hypercorn",
  daphne: "daphne",
  uwsgi: "uwsgi",
  waitress: "waitress",
  cheroot: "cheroot",
  bjoern: "bjoern",
  fastwsgi: "fastwsgi",
};
