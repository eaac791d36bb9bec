/** What a command measures where its options do not say it: one answer for the command line and the action. */
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import {
  chooseSelectors,
  chooseServers,
  holdSets,
  OWN_FOLDERS,
  type ServerOfRow,
  serverNamed,
  serversOfProject,
} from "../plan/defaults.js";
import { loadLibrary } from "../plan/load.js";
import type { OptionNames } from "../plan/option-names.js";
import { planRun, rowsOf } from "../plan/plan.js";
import type { ProcessContext } from "./process-context.js";

interface Options {
  readonly selectors: readonly string[];
  readonly servers: readonly string[];
  /** Absolute. */
  readonly scenarios?: string;
  readonly profile: string;
}

/** @throws InputError for wrong scenario files, and where nothing says what to measure */
export async function withDefaults<T extends Options>(
  given: T,
  { root, cwd }: Pick<ProcessContext, "root" | "cwd">,
  names: OptionNames,
): Promise<T & { readonly notes: readonly string[] }> {
  const scenarios = given.scenarios ?? (await ownFolder(cwd));
  const options = scenarios === undefined ? given : { ...given, scenarios };
  const library = await loadLibrary(root, scenarios, names.scenarios);
  // A server of the own folder describes the checkout better than a built-in one of the same distribution.
  const entries = [...library.servers];
  const ownFirst = [...entries.filter(([, { folder }]) => folder === scenarios), ...entries];
  const rowsWith = async (selectors: readonly string[], servers: readonly string[]) => {
    const plan = { root, cwd, profile: given.profile, servers, names, selectors, cores: 1 };
    return rowsOf(await planRun(scenarios === undefined ? plan : { ...plan, scenarios }));
  };
  const selected = given.selectors.length > 0 ? given.selectors : library.ownSets;
  const own = await ownServers(cwd, ownFirst);
  const { servers, notes } = chooseServers(
    given,
    await thoseThatRun(own, () => (selected.length === 0 ? [] : rowsWith(selected, []))),
    names,
  );
  if (given.selectors.length > 0) return { ...options, servers, notes };
  const named = { ownSets: library.ownSets, servers: servers.map(serverNamed) };
  const chosen = chooseSelectors(named, await rowsWith([], servers), names);
  return { ...options, servers, selectors: chosen.selectors, notes: [...notes, ...chosen.notes] };
}

/** The folder of scenario sets that the checkout has, absolute. */
async function ownFolder(cwd: string): Promise<string | undefined> {
  for (const name of OWN_FOLDERS) if (await hasSets(join(cwd, name))) return resolve(cwd, name);
  return undefined;
}

async function hasSets(folder: string): Promise<boolean> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => /\.ya?ml$/.test(name));
  return holdSets(await Promise.all(names.map(async (name) => ({ name, text: await textOf(join(folder, name)) }))));
}

type Awaitable<T> = T | Promise<T>;

/** Of several servers of one distribution those that the rows run: an edit of the checkout changes each of them. Else the first. */
async function thoseThatRun(
  own: readonly string[],
  rows: () => Awaitable<readonly ServerOfRow[]>,
): Promise<readonly string[]> {
  if (own.length < 2) return own;
  const run = new Set((await rows()).map(({ server }) => server.name));
  const used = own.filter((name) => run.has(name));
  return used.length > 0 ? used : own.slice(0, 1);
}

async function ownServers(cwd: string, servers: Parameters<typeof serversOfProject>[1]): Promise<readonly string[]> {
  const [pyproject, setupCfg] = await Promise.all(
    ["pyproject.toml", "setup.cfg"].map((name) => textOf(join(cwd, name))),
  );
  if (pyproject === "" && setupCfg === "") return [];
  // Only here: its parser would be part of every start.
  const { projectName } = await import("../plan/project-name.js");
  return serversOfProject(projectName({ pyproject, setupCfg }), servers);
}

/** "" where it cannot be read. */
async function textOf(file: string): Promise<string> {
  return await readFile(file, "utf8").catch(() => "");
}
