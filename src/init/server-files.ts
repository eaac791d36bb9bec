/** The files that start a server: Procfile, Dockerfile, compose files, tasks of pyproject.toml, scripts, Makefiles and justfiles. */
import { InputError } from "../errors.js";
import { continuedLines, type Found, linesOf } from "../plan/text-places.js";
import { isTable, parseToml, placeOfText, type Table, tableAt } from "../plan/toml.js";
import { commandsIn } from "./commands-in.js";
import { compose, dockerfile } from "./container-files.js";
import type { ProjectFiles } from "./project.js";
import type { ServerCommand } from "./server-command.js";
import { gunicornFile, uwsgiIni, withSettings } from "./server-config-files.js";

/**
 * Every command that starts a server, in the order in which files decide.
 * @throws InputError for a pyproject.toml of the project itself that is no TOML
 */
export function findServerCommands(files: ProjectFiles): Found<ServerCommand>[] {
  const named = (pattern: RegExp) =>
    [...files].filter(([file]) => pattern.test(file)).sort(([a], [b]) => depth(a) - depth(b));
  const deployed = [
    ...named(/(^|\/)Procfile$/).flatMap(([file, text]) => procfile(file, text)),
    ...named(/(^|\/)(Dockerfile|Containerfile)[^/]*$/).flatMap(([file, text]) => dockerfile(file, text)),
    ...named(/(^|\/)(docker-)?compose[^/]*\.ya?ml$/).flatMap(([file, text]) => compose(file, text)),
    ...named(/(^|\/)pyproject\.toml$/).flatMap(([file, text]) => tasks(file, text)),
    ...named(/\.sh$/).flatMap(([file, text]) => script(file, text)),
    ...named(/(^|\/)uwsgi[^/]*\.ini$/).flatMap(([file, text]) => uwsgiIni(file, text)),
  ];
  // Their commands are more often for development than for a deployment.
  const recipes = [
    ...named(/(^|\/)(Makefile|makefile|GNUmakefile)$/).flatMap(([file, text]) => makefile(file, text)),
    ...named(/(^|\/)\.?justfile$/i).flatMap(([file, text]) => justfile(file, text)),
  ];
  const settings = named(/(^|\/)gunicorn(\.conf|_conf|_config)?\.py$/)[0];
  return settings === undefined ? [...deployed, ...recipes] : withGunicornFile(deployed, recipes, ...settings);
}

function depth(file: string): number {
  return file.split("/").length;
}

function procfile(file: string, text: string): Found<ServerCommand>[] {
  const web = linesOf(file, text).filter(({ value }) => /^web\s*:/.test(value));
  return web.flatMap(({ value, at }) => commandsIn(value.replace(/^web\s*:/, ""), at));
}

/** Tasks of poethepoet, pdm, taskipy and hatch. */
function tasks(file: string, text: string): Found<ServerCommand>[] {
  const tool = tableAt(tomlOf(file, text), "tool");
  const environments = Object.values(tableAt(tool, "hatch", "envs"));
  const tables = [
    tableAt(tool, "poe", "tasks"),
    tableAt(tool, "pdm", "scripts"),
    tableAt(tool, "taskipy", "tasks"),
    ...environments.map((environment) => (isTable(environment) ? tableAt(environment, "scripts") : {})),
  ];
  const commands = tables
    .flatMap((table) => Object.values(table))
    .map((task) => (isTable(task) ? (task.cmd ?? task.shell) : task));
  return commands.flatMap((command) =>
    typeof command === "string" ? commandsIn(command, placeOfText(file, text, command)) : [],
  );
}

/** A template or a test's file in a folder may be broken on purpose. */
function tomlOf(file: string, text: string): Table {
  try {
    return parseToml(file, text);
  } catch (error) {
    if (file.includes("/") && error instanceof InputError) return {};
    throw error;
  }
}

function script(file: string, text: string): Found<ServerCommand>[] {
  return continuedLines(file, text).flatMap(({ value, at }) => commandsIn(value, at));
}

function makefile(file: string, text: string): Found<ServerCommand>[] {
  const recipes = continuedLines(file, text).filter(({ value }) => value.startsWith("\t"));
  return reloadingLast(
    recipes.flatMap(({ value, at }) => commandsIn(value.replace(/^\t[@+\s-]*/, "").replaceAll("$$", "$"), at)),
  );
}

function justfile(file: string, text: string): Found<ServerCommand>[] {
  const recipes = continuedLines(file, text).filter(({ value }) => /^\s/.test(value));
  return reloadingLast(recipes.flatMap(({ value, at }) => commandsIn(value.replace(/^\s+[@-]*/, ""), at)));
}

/** A server that watches its files is for development. */
function reloadingLast(found: readonly Found<ServerCommand>[]): Found<ServerCommand>[] {
  const reloads = ({ value }: Found<ServerCommand>) => value.options.has("--reload");
  return [...found.filter((one) => !reloads(one)), ...found.filter(reloads)];
}

function withGunicornFile(
  deployed: readonly Found<ServerCommand>[],
  recipes: readonly Found<ServerCommand>[],
  file: string,
  text: string,
): Found<ServerCommand>[] {
  const settings = gunicornFile(file, text);
  const found = [...deployed, ...recipes];
  if (!found.some(({ value }) => value.server === "gunicorn")) return [...deployed, settings, ...recipes];
  return found.map((one) =>
    one.value.server === "gunicorn" ? { ...one, value: withSettings(one.value, settings.value) } : one,
  );
}
