/** What is measured where the user names no rows or no server: the sets of the checkout, or the server that it is the source of. */
import { InputError } from "../errors.js";
import { canonical } from "./distribution-name.js";
import type { OptionNames } from "./option-names.js";
import type { ServerEntry } from "./schema.js";

/** As the user gave it. */
export interface Asked {
  /** Sets, rows or globs; none: the default. */
  readonly selectors: readonly string[];
  /** `NAME=SPEC`; `.`: the server that the checkout is the source of. */
  readonly servers: readonly string[];
}

export interface Chosen extends Asked {
  /** What was chosen, and how to choose otherwise. */
  readonly notes: readonly string[];
}

export interface ServerOfRow {
  readonly id: string;
  readonly server: { readonly name: string };
}

/** Folders of a checkout that may hold its sets, the first one first. */
export const OWN_FOLDERS = ["benchmarks", ".server-bench"];

/**
 * Whether the YAML files of a folder are scenario files: many projects have a folder of that name for something else. A set that cannot
 * be read is one too, and its error is reported.
 */
export function holdSets(files: readonly { readonly name: string; readonly text: string }[]): boolean {
  return files.some(({ name, text }) => name === "servers.yml" || /^(rows|extends) *:/m.test(text));
}

/** The servers whose distribution has this name, in their order: `uvicorn` before `uvicorn-zttp`. */
export function serversOfProject(
  project: string | undefined,
  servers: Iterable<readonly [name: string, { readonly value: Pick<ServerEntry, "distribution"> }]>,
): string[] {
  if (project === undefined) return [];
  const own = [...servers].filter(([, { value }]) => canonical(value.distribution) === canonical(project));
  return [...new Set(own.map(([name]) => name))];
}

/**
 * @param own the servers that the checkout is the source of, and that are taken from it
 * @throws InputError for a `.` where the checkout is that of no server
 */
export function chooseServers(
  { servers }: Pick<Asked, "servers">,
  own: readonly string[],
  { server: option }: OptionNames,
): Pick<Chosen, "servers" | "notes"> {
  const fromCheckout = own.map((name) => `${name}=.`);
  if (servers.length === 0 && own.length > 0) {
    const given = fromCheckout.map((value) => `${option} ${value}`).join(" ");
    const names = own.join(" and ");
    return {
      servers: fromCheckout,
      notes: [
        `This is a checkout of ${own[0]}: ${names} ${own.length === 1 ? "is" : "are"} installed from it (${given}).`,
      ],
    };
  }
  const named = servers.flatMap((value) => {
    if (value !== ".") return [value];
    if (own.length > 0) return fromCheckout;
    throw new InputError(
      `invalid ${option} ".": neither pyproject.toml nor setup.cfg names a server that is listed. Write NAME=. with a name that \`list\` prints, or describe the server (docs/servers.md)`,
    );
  });
  return { servers: named, notes: [] };
}

/** Sets in which servers meet the same load, and how many rows of a server answer a pull request within some minutes. */
const USUAL_SETS = ["vs-asgi", "vs-wsgi", "all-servers"];
const ROWS_MAX = 8;

/**
 * The rows that are measured by default.
 * @param ownSets names of the sets in the user's own folder: all of them are measured
 * @param servers names of those that are installed otherwise than servers.yml says; each gets some of its rows
 * @throws InputError where nothing is named, and `names` has no set for that
 */
export function chooseSelectors(
  { ownSets, servers }: { readonly ownSets: readonly string[]; readonly servers: readonly string[] },
  rows: readonly ServerOfRow[],
  names: OptionNames,
): Pick<Chosen, "selectors" | "notes"> {
  if (ownSets.length > 0) return { selectors: ownSets, notes: [] };
  if (servers.length > 0) return rowsOfServers(servers, rows, names);
  if (names.usualSets.length > 0) {
    const usual = names.usualSets.join(", ");
    return {
      selectors: names.usualSets,
      notes: [
        `Nothing here says what to measure, so ${usual} is measured: no folder benchmarks/ has a set (a file with rows:), and this is no checkout of a listed server.`,
      ],
    };
  }
  throw new InputError(
    `nothing says what to measure: there is no folder benchmarks/ with scenario sets, and no pyproject.toml or setup.cfg of a server that is listed. For an app: run \`init\` of server-bench, which writes benchmarks/ (docs/your-app.md). For a server: give ${names.server}, such as uvicorn=. (docs/servers.md lists the names)`,
  );
}

function rowsOfServers(
  servers: readonly string[],
  rows: readonly ServerOfRow[],
  names: OptionNames,
): Pick<Chosen, "selectors" | "notes"> {
  const chosen = servers.map((name) => ({ name, ids: rowsOfServer(name, rows) }));
  return {
    selectors: chosen.flatMap(({ ids }) => ids),
    notes: chosen.flatMap(({ name, ids }) => {
      const others = rows.filter(({ id, server }) => server.name === name && !ids.includes(id));
      if (others.length === 0) return [];
      const verb = ids.length === 1 ? "is" : "are";
      return [
        `No benchmarks are named, so ${ids.length} of the ${ids.length + others.length} of ${name} ${verb} measured. For others, ${names.selectors}, such as ${others[0]?.id.split("/")[0]}.`,
      ];
    }),
  };
}

/** @throws InputError where no row runs the server */
function rowsOfServer(name: string, rows: readonly ServerOfRow[]): string[] {
  const own = rows.filter(({ server }) => server.name === name).map(({ id }) => id);
  if (own.length === 0) throw new InputError(`no benchmark runs ${name}: write a set for it (docs/scenario-files.md)`);
  const usual = USUAL_SETS.flatMap((set) => own.filter((id) => id.startsWith(`${set}/`)));
  return (usual.length === 0 ? own : usual).slice(0, ROWS_MAX);
}

/** Sentences on servers that no selected row runs. */
export function unusedServers(servers: readonly string[], rows: readonly ServerOfRow[], names: OptionNames): string[] {
  const run = new Set(rows.map(({ server }) => server.name));
  const unused = servers.filter((value) => !run.has(serverNamed(value)));
  return unused.map(
    (value) =>
      `${names.server} ${value} has no effect: no selected benchmark runs ${serverNamed(value)}. For one that does, ${names.selectors}.`,
  );
}

/** `granian=./granian` -> `granian` */
export function serverNamed(value: string): string {
  return value.split("=")[0] ?? value;
}
