/** Which app, under which server: found in the project's files, given, or asked. Nothing is installed yet. */
import { basename } from "node:path";
import { InputError } from "../../errors.js";
import { type AppCandidate, ownServer } from "../../init/callables.js";
import { appName, type Choice } from "../../init/choice.js";
import { findDependencies } from "../../init/dependencies.js";
import { chooseServer, commandsBefore, type Detected, type ServerChoice } from "../../init/detect.js";
import type { ProjectFiles } from "../../init/project.js";
import { requirementOf } from "../../init/requirements-file.js";
import { nameSome } from "../../messages/sentence.js";
import type { Library } from "../../plan/load.js";
import { unknownName } from "../../plan/nearest.js";
import { projectName } from "../../plan/project-name.js";
import type { Display } from "../display.js";
import type { InitOptions } from "./options.js";
import { namedRoutes } from "./propose.js";
import type { Questions } from "./questions.js";
import { foundLine, installLine } from "./words.js";

/** Name of the app and of the set, and its title. */
type Named = Pick<Choice, "name" | "title">;

interface Choosing {
  readonly options: InitOptions;
  readonly named: Named;
  readonly files: ProjectFiles;
  readonly detected: Detected;
  readonly library: Library;
  readonly questions: Questions;
  readonly display: Display;
}

export function nameOf(options: InitOptions, files: ProjectFiles, library: Library): Named {
  // `servers` is the name of the other file.
  const taken = new Set([...library.apps.keys(), ...library.sets.keys(), "servers"]);
  const title = options.name ?? nameInFiles(files) ?? basename(options.project);
  return { name: appName(title, taken), title };
}

function nameInFiles(files: ProjectFiles): string | undefined {
  return projectName({ pyproject: files.get("pyproject.toml"), setupCfg: files.get("setup.cfg") });
}

/** @throws InputError where nothing is found, or the options name what is not there */
export async function choose(choosing: Choosing): Promise<Choice> {
  const { options, named, library, display, files } = choosing;
  const { app, others } = await chooseApp(choosing);
  const detected = { ...choosing.detected, dependencies: findDependencies(files, app.folder) };
  display.line(
    foundLine("app", `${app.target} (${[app.framework, app.interface].filter(Boolean).join(", ")})`, app.at),
  );
  if (others.length > 0) display.line(foundLine("", `also found: ${others.join(", ")}; --app chooses`, ""));
  const server = await chooseNamedServer(app, { ...choosing, detected });
  display.line(foundLine("server", serverText(server), server.why));
  if (server.workers !== undefined && server.workers !== "1")
    display.line(
      foundLine(
        "",
        `${server.workers} workers there; the benchmark starts one, so that server and load generator have a CPU each`,
        "",
      ),
    );
  const extra = options.requires.flatMap((text) => requirementOf(text, "--requires") ?? []);
  const dependencies = { ...detected.dependencies, added: extra };
  display.line(installLine(dependencies));
  for (const sentence of dependencies.unread) display.line(foundLine("", sentence, ""));
  const variables = Object.keys(options.env);
  if (variables.length > 0)
    display.line(
      foundLine(
        "env",
        `${variables.join(", ")}, written to servers.yml, which is committed: no place for a secret`,
        "",
      ),
    );
  return {
    ...named,
    app: { interface: app.interface, folder: app.folder, target: app.target, env: { ...app.env, ...options.env } },
    server,
    dependencies,
    python: /^3\.\d+$/.test(options.python ?? "") ? options.python : undefined,
    before: commandsBefore(app, files),
    routes: namedRoutes(options.routes.length === 0 ? ["/"] : options.routes, null, library.requests),
  };
}

function serverText({ name, knobs }: ServerChoice): string {
  const settings = Object.entries(knobs).map(([knob, value]) => `${knob} ${value}`);
  return settings.length === 0 ? name : `${name} (${settings.join(", ")})`;
}

interface ChosenApp {
  readonly app: AppCandidate;
  /** Further ones that nobody was asked about. */
  readonly others: readonly string[];
}

async function chooseApp(choosing: Choosing): Promise<ChosenApp> {
  const { options, detected } = choosing;
  const { app, others } =
    options.app === undefined ? await foundApp(choosing) : { app: namedApp(options.app, detected), others: [] };
  return { app: { ...app, interface: options.interface ?? app.interface }, others };
}

/** The app of `--app`. Where no file shows it, its folder and interface are those of another app of its module. */
function namedApp(target: string, { apps }: Detected): AppCandidate {
  const known = apps.find((app) => app.target === target);
  if (known) return known;
  const sameModule = apps.find((app) => app.target.split(":")[0] === target.split(":")[0]);
  const unknown = { folder: "", interface: "wsgi", env: {} } as const;
  const { folder, interface: interfaceName, env } = sameModule ?? unknown;
  return { interface: interfaceName, framework: "", folder, target, at: "--app", env };
}

async function foundApp({ options, files, detected, questions }: Choosing): Promise<ChosenApp> {
  const fitting = detected.apps.filter((app) => options.interface === undefined || app.interface === options.interface);
  // What a file shows may be wrong: the user knows it better.
  const apps = fitting.length > 0 ? fitting : detected.apps;
  const [first, ...others] = apps;
  if (first === undefined) throw new InputError(`${options.project}: ${nothingFound(files, detected)}`);
  if (others.length === 0) return { app: first, others: [] };
  const texts = apps.slice(0, 9).map(({ target, at }) => `${target}, ${at}`);
  const index = await questions.choose("Which app?", texts);
  const also = questions.asks ? [] : others.slice(0, 5).map(({ target }) => target);
  return { app: apps[index] ?? first, others: also };
}

function nothingFound(files: ProjectFiles, { unread }: Detected): string {
  const own = ownServer(files);
  if (own !== undefined)
    return `no app found that init can measure: an app of ${own} is its own server. Write benchmarks/servers.yml with \`interface: ${own}\` and a set with \`server: ${own}\`: docs/scenario-files.md of server-bench`;
  const others = unread.length === 0 ? "" : ` (${nameSome(unread)}: no Python that python3 can read)`;
  return `no app found: no Python file makes a FastAPI, Starlette, Litestar, Quart, Flask, Falcon, Bottle or Django app${others}; --app MODULE:OBJECT names it, with --interface asgi or wsgi`;
}

async function chooseNamedServer(
  app: AppCandidate,
  { options, detected, library, questions }: Choosing,
): Promise<ServerChoice> {
  const found = chooseServer(detected, app);
  const typed =
    options.server ?? (/^no file/.test(found.why) ? await questions.ask("Which server?", found.name) : found.name);
  if (typed === found.name) return found;
  const server = library.servers.get(typed);
  const names = [...library.servers]
    .filter(([, { value }]) => value.interfaces.includes(app.interface))
    .map(([name]) => name);
  if (!server) throw new InputError(`--server: ${unknownName("server", typed, names)}`);
  if (!names.includes(typed))
    throw new InputError(
      `--server ${typed}: does not speak ${app.interface}, which ${app.target} is; servers that do: ${names.join(", ")}`,
    );
  return { name: typed, knobs: {}, why: "--server", workers: undefined };
}
