/** Scenario folders -> checked files, in one library of names. The only part of the plan that reads. */
import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, join, relative, resolve } from "node:path";
import { InputError } from "../errors.js";
import { isWithin } from "../is-within.js";
import { SET_NAME_CHARACTERS } from "../results/limits.js";
import { resolveServers, resolveSets } from "./extend.js";
import { NAME } from "./name.js";
import { COMMAND_LINE } from "./option-names.js";
import type { RequestEntry } from "./request-schema.js";
import type { AppEntry, ExtendingSet, ServerEntry, ServersFile, ServiceEntry, SetFile } from "./schema.js";
import { type CompiledFiles, compiledSource, type Key, type Source } from "./source.js";

type Named<T> = ReadonlyMap<string, LocatedEntry<T>>;

/** An entry and its file and line, so that a message can name them and paths can be relative to the file. */
export interface Entry<T> {
  readonly value: T;
  readonly folder: string;
  readonly at: string;
}

export interface LocatedEntry<T> extends Entry<T> {
  /** File, line and name of a field of the entry. */
  locate(path: readonly Key[]): string;
}

export interface Library {
  readonly servers: Named<ServerEntry>;
  readonly apps: Named<AppEntry>;
  readonly services: Named<ServiceEntry>;
  readonly requests: Named<RequestEntry>;
  readonly sets: ReadonlyMap<string, Source<SetFile>>;
  /** Names of the sets in the user's own folder. */
  readonly ownSets: readonly string[];
}

const SERVERS_FILE = "servers.yml";

/** Written by the build beside the bundle. */
const COMPILED_FILE = "dist/scenarios.json";

/**
 * Reads the built-in scenarios and the user's own folder beside them.
 * @param root folder of the tool: scenarios/, dist/
 * @throws InputError for a folder without scenarios, a wrong file, or a name that is taken.
 */
export async function loadLibrary(
  root: string,
  own: string | undefined,
  option = COMMAND_LINE.scenarios,
): Promise<Library> {
  const library: Growing = {
    servers: new Map(),
    apps: new Map(),
    services: new Map(),
    requests: new Map(),
    sets: new Map(),
  };
  const compiled: CompiledFiles = await readFile(join(root, COMPILED_FILE), "utf8").then(JSON.parse, () => ({}));
  const addFolder = async (folder: string) =>
    await loadFiles(folder, await yamlFiles(folder, option), compiled, library);
  await addFolder(join(root, "scenarios"));
  const builtIn = new Set(library.sets.keys());
  if (own !== undefined) await addFolder(own);
  const sets = resolveSets(library.sets);
  const ownSets = [...sets.keys()].filter((name) => !builtIn.has(name));
  return { ...library, servers: resolveServers(library.servers), sets, ownSets };
}

/** What the files say, before `extends` is followed. */
interface Growing {
  readonly servers: Map<string, LocatedEntry<ServersFile["servers"][string]>>;
  readonly apps: Map<string, LocatedEntry<AppEntry>>;
  readonly services: Map<string, LocatedEntry<ServiceEntry>>;
  readonly requests: Map<string, LocatedEntry<RequestEntry>>;
  readonly sets: Map<string, Source<SetFile | ExtendingSet>>;
}

async function loadFiles(
  folder: string,
  files: readonly string[],
  compiled: CompiledFiles,
  library: Growing,
): Promise<void> {
  const texts = await Promise.all(files.map((file) => textOf(join(folder, file))));
  for (const [i, file] of files.entries()) {
    const shown = shownPath(join(folder, file));
    const text = texts[i] ?? "";
    const known = compiled[createHash("sha256").update(text).digest("hex")];
    if (file === SERVERS_FILE) {
      const source = known
        ? compiledSource<ServersFile>(shown, known)
        : (await parsers()).parseServersFile(text, shown);
      addServers(source, resolve(folder), library);
    } else {
      const source = known
        ? compiledSource<SetFile | ExtendingSet>(shown, known)
        : (await parsers()).parseSetFile(text, shown);
      addSet(source, setName(file, shown), library);
    }
  }
}

/** @throws InputError for a folder, a link that leads nowhere, or a pipe, at which reading would wait for its writer */
async function textOf(path: string): Promise<string> {
  const isFile = (await stat(path).catch(() => undefined))?.isFile() ?? false;
  const text = isFile ? await readFile(path, "utf8").catch(() => undefined) : undefined;
  if (text !== undefined) return text;
  throw new InputError(
    `${shownPath(path)}: is no file that can be read, and every *.yml in that folder is read: move it`,
  );
}

/** The YAML parser and the checks are most of the start-up: they load when a file needs them. */
function parsers() {
  return import("./files.js");
}

async function yamlFiles(folder: string, option: string): Promise<string[]> {
  const kind = await stat(folder).catch(() => undefined);
  if (!kind) throw new InputError(`${option} ${folder}: no such folder`);
  if (!kind.isDirectory()) throw new InputError(`${option} ${folder}: is a file; give the folder that holds it`);
  const files = (await readdir(folder)).filter((file) => /\.ya?ml$/.test(file)).sort();
  if (files.length === 0) {
    throw new InputError(`${option} ${folder}: holds no scenario set (*.yml) and no ${SERVERS_FILE}`);
  }
  return files;
}

function shownPath(file: string): string {
  const here = process.cwd();
  return isWithin(here, file) ? relative(here, file) : file;
}

function setName(file: string, shown: string): string {
  const name = basename(file).replace(/\.ya?ml$/, "");
  if (!NAME.test(name)) {
    throw new InputError(`${shown}: a set is named after its file: use lower-case letters, digits, dots and dashes`);
  }
  if (name.length > SET_NAME_CHARACTERS)
    throw new InputError(`${shown}: the name of a set has at most ${SET_NAME_CHARACTERS} characters: rename the file`);
  return name;
}

function addServers(source: Source<ServersFile>, folder: string, library: Growing): void {
  const add = <T>(section: string, entries: Record<string, T>, into: Map<string, LocatedEntry<T>>) => {
    for (const [name, value] of Object.entries(entries)) {
      const locate = (path: readonly Key[]) => source.at([section, name, ...path]);
      const at = locate([]);
      const taken = into.get(name);
      if (taken) throw new InputError(`${at}: the name is taken by ${taken.at}; choose another one`);
      into.set(name, { value, folder, at, locate });
    }
  };
  add("servers", source.value.servers, library.servers);
  add("apps", source.value.apps, library.apps);
  add("services", source.value.services, library.services);
  add("requests", source.value.requests, library.requests);
}

function addSet(source: Source<SetFile | ExtendingSet>, name: string, library: Growing): void {
  const taken = library.sets.get(name);
  if (taken) throw new InputError(`${source.file}: there is a set "${name}" already (${taken.file}); rename the file`);
  library.sets.set(name, source);
}
