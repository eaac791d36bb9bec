/** A project's files -> what can be measured of it, and where that was found. */
import { distributionOf } from "../plan/requirements.js";
import type { Found } from "../plan/text-places.js";
import type { InterfaceName } from "../plan/types.js";
import { type AppCandidate, findApps } from "./callables.js";
import { withNamedFirst } from "./command-app.js";
import { type Dependencies, findDependencies } from "./dependencies.js";
import { joined, type ProjectFiles } from "./project.js";
import type { PythonFiles } from "./python-files.js";
import type { ServerCommand } from "./server-command.js";
import { findServerCommands } from "./server-files.js";
import { DISTRIBUTIONS } from "./server-programs.js";

export interface ServerChoice {
  readonly name: string;
  readonly knobs: Readonly<Record<string, string | number>>;
  /** Why this one: the place, or a sentence. */
  readonly why: string;
  readonly workers: string | undefined;
}

export interface Detected {
  /** The most likely one first. */
  readonly apps: readonly AppCandidate[];
  /** Files that Python cannot read. */
  readonly unread: readonly string[];
  readonly commands: readonly Found<ServerCommand>[];
  /** For the first app. */
  readonly dependencies: Dependencies;
}

/** @throws InputError for a TOML file that cannot be read */
export function detect(files: ProjectFiles, python: PythonFiles): Detected {
  const commands = findServerCommands(files);
  const apps = withNamedFirst(findApps(files, python), commands, files);
  return {
    apps,
    unread: Object.keys(python).filter((file) => python[file] === null),
    commands,
    dependencies: findDependencies(files, apps[0]?.folder),
  };
}

/**
 * Django's migration, where the settings put the database into the folder that each side has for itself. In the project's
 * own folder it would change the user's database.
 */
export function commandsBefore(app: AppCandidate, files: ProjectFiles): readonly (readonly string[])[] {
  const ownData = [...files.values()].some((text) => text.includes("SERVER_BENCH_DATA"));
  const manages = app.framework === "Django" && files.has(joined(app.folder, "manage.py"));
  return ownData && manages ? [["python", "manage.py", "migrate", "--noinput"]] : [];
}

/** The usual server of an interface, where the project names none. */
const USUAL: Readonly<Record<InterfaceName, string>> = {
  asgi: "uvicorn",
  wsgi: "gunicorn",
  rsgi: "granian",
  grpc: "grpc",
  aiohttp: "aiohttp",
  robyn: "robyn",
  sanic: "sanic",
  socketify: "socketify-api",
};

/** The server that the project starts, else one that it requires, else the usual one. */
export function chooseServer(detected: Detected, app: AppCandidate): ServerChoice {
  const command = detected.commands.find(({ value }) => speaks(value, app.interface));
  if (command !== undefined) {
    const { server, knobs, workers } = command.value;
    return {
      name: server,
      knobs: { ...plainUvicorn(server, detected.dependencies), ...knobs },
      why: command.at,
      workers,
    };
  }
  const { requirements } = detected.dependencies;
  for (const server of SPEAKS[app.interface]) {
    const required = requirements.find(({ name }) => DISTRIBUTIONS[name] === server);
    if (required === undefined) continue;
    const knobs = plainUvicorn(server, detected.dependencies);
    return { name: server, knobs, why: `${required.at} requires it`, workers: undefined };
  }
  const name = USUAL[app.interface];
  const why = `no file names a server; ${name} is a usual one for ${app.interface.toUpperCase()}`;
  return { name, knobs: {}, why, workers: undefined };
}

/** The likeliest first: with uvicorn beside it, gunicorn often only manages uvicorn's processes. */
const SPEAKS: Readonly<Record<InterfaceName, readonly string[]>> = {
  asgi: ["granian", "uvicorn", "hypercorn", "daphne", "gunicorn"],
  wsgi: ["granian", "gunicorn", "uwsgi", "uwsgi-gevent", "waitress", "cheroot", "bjoern", "fastwsgi"],
  rsgi: ["granian"],
  grpc: ["grpc"],
  aiohttp: ["aiohttp"],
  robyn: ["robyn"],
  sanic: ["sanic"],
  socketify: ["socketify-api"],
};

function speaks({ server, interface: named }: ServerCommand, interfaceName: InterfaceName): boolean {
  // `gunicorn shop:app` without a worker class is WSGI.
  return SPEAKS[interfaceName].includes(server) && (named === undefined || named === interfaceName);
}

/** Without its extra `standard`, uvicorn has neither uvloop nor httptools: the benchmark then runs without them too. */
function plainUvicorn(server: string, { requirements, locked }: Dependencies): Record<string, string> {
  if (server !== "uvicorn") return {};
  const names = new Set([...requirements.map(({ name }) => name), ...[...locked.keys()].map(distributionOf)]);
  const plain = requirements.some(({ name }) => name === "uvicorn");
  const extras = requirements.some(({ text }) => /^(uvicorn|fastapi)\s*\[[^\]]*\b(standard|all)\b/i.test(text));
  if (!plain || extras) return {};
  return {
    ...(!names.has("uvloop") && { loop: "asyncio" }),
    ...(!names.has("httptools") && { "http-parser": "h11" }),
  };
}
