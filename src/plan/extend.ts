/** Servers and sets that start from another one: chains are followed, and circles refused. */
import { InputError } from "../errors.js";
import { missingPlace } from "./knobs.js";
import { unknownName } from "./nearest.js";
import { distributionOf } from "./requirements.js";
import type { ExtendingServer, ExtendingSet, KnobVariant, ServerEntry, SetFile } from "./schema.js";
import type { Key, Source } from "./source.js";

/** An entry, and file, line and name of its fields. */
interface Located<T> {
  readonly value: T;
  locate(path: readonly Key[]): string;
}

/**
 * Every entry with what it extends filled in.
 * @param join puts an entry onto the complete one that it extends
 * @throws InputError for an unknown name, and for entries that extend each other
 */
function resolveAll<T extends object, E extends { readonly extends: string }, L extends Located<T | E>, R>(
  kind: string,
  entries: ReadonlyMap<string, L>,
  join: { readonly complete: (entry: L, value: T) => R; readonly extended: (base: R, entry: L, value: E) => R },
): Map<string, R> {
  const resolved = new Map<string, R>();
  const resolve = (name: string, chain: readonly string[]): R => {
    const known = resolved.get(name);
    if (known !== undefined) return known;
    const entry = entries.get(name);
    if (entry === undefined) throw new Error(`the ${kind} ${name} was not loaded`);
    const { value } = entry;
    const result = isExtending(value)
      ? join.extended(baseOf(entry, value, [...chain, name]), entry, value)
      : join.complete(entry, value);
    resolved.set(name, result);
    return result;
  };
  const baseOf = (entry: L, { extends: base }: E, chain: readonly string[]): R => {
    const at = entry.locate(["extends"]);
    if (!entries.has(base)) throw new InputError(`${at}: ${unknownName(kind, base, [...entries.keys()])}`);
    if (chain.includes(base))
      throw new InputError(
        `${at}: ${[...chain.slice(chain.indexOf(base)), base].join(" extends ")}: a circle; one of them must be complete`,
      );
    return resolve(base, chain);
  };
  for (const name of entries.keys()) resolve(name, []);
  return resolved;
}

function isExtending<T extends object, E extends { readonly extends: string }>(value: T | E): value is E {
  return "extends" in value;
}

/** Requirements add up, maps merge, and every other field replaces. */
export function resolveServers<L extends Located<ServerEntry | ExtendingServer>>(
  entries: ReadonlyMap<string, L>,
): Map<string, L & { readonly value: ServerEntry }> {
  return resolveAll<ServerEntry, ExtendingServer, L, L & { readonly value: ServerEntry }>("server", entries, {
    complete: (entry, value) => ({ ...entry, value }),
    extended: (base, entry, value) => ({ ...entry, value: extendServer(base.value, value, entry.locate) }),
  });
}

function extendServer(base: ServerEntry, own: ExtendingServer, locate: Located<unknown>["locate"]): ServerEntry {
  const { extends: _, requires = [], env, knobs = {}, ...fields } = own;
  checkPlaces(base, own, locate);
  return {
    ...replaced(base, fields),
    requires: addRequires(base.requires, requires),
    env: { ...base.env, ...env },
    knobs: { ...base.knobs, ...extendKnobs(base, knobs, locate) },
  };
}

/** @throws InputError for a value that would never reach the server */
function checkPlaces(base: ServerEntry, own: ExtendingServer, locate: Located<unknown>["locate"]): void {
  for (const [name, value] of Object.entries(own.knobs ?? {})) {
    if (typeof value === "object") continue;
    const variants = [base.knobs[name] ?? []].flat();
    const missing = variants.map((one) => missingPlace(name, one, value, own.command ?? base.command));
    if (missing[0] !== undefined && !missing.includes(undefined))
      throw new InputError(`${locate(["knobs", name])}: ${missing[0]}`);
  }
}

/** YAML has no undefined: a field that is there has a value. */
function replaced<T extends object>(base: T, fields: { readonly [Field in keyof T]?: T[Field] | undefined }): T {
  return Object.assign({}, base, fields);
}

/** Two pins of one distribution would exclude each other: the own one replaces. */
function addRequires(base: readonly string[], own: readonly string[]): string[] {
  const named = own.map(distributionOf);
  return [...base.filter((requirement) => !named.includes(distributionOf(requirement))), ...own];
}

function extendKnobs(
  base: ServerEntry,
  own: NonNullable<ExtendingServer["knobs"]>,
  locate: Located<unknown>["locate"],
): ServerEntry["knobs"] {
  const withDefault = (variant: KnobVariant, value: KnobVariant["default"]) => ({ ...variant, default: value });
  return Object.fromEntries(
    Object.entries(own).map(([name, knob]) => {
      if (typeof knob === "object") return [name, knob];
      const known = base.knobs[name];
      if (known === undefined)
        throw new InputError(`${locate(["knobs", name])}: ${unknownName("knob", name, Object.keys(base.knobs))}`);
      return [name, Array.isArray(known) ? known.map((one) => withDefault(one, knob)) : withDefault(known, knob)];
    }),
  );
}

/** The extended set's rows come first. Defaults merge, and hold for its rows too; every other field replaces. */
export function resolveSets(
  sources: ReadonlyMap<string, Source<SetFile | ExtendingSet>>,
): Map<string, Source<SetFile>> {
  const entries = new Map([...sources].map(([name, source]) => [name, { ...source, locate: source.at }]));
  return resolveAll<SetFile, ExtendingSet, LocatedSource, Source<SetFile>>("set", entries, {
    complete: ({ file, at }, value) => ({ file, at, value }),
    extended: extendSet,
  });
}

type LocatedSource = Source<SetFile | ExtendingSet> & Located<SetFile | ExtendingSet>;

function extendSet(base: Source<SetFile>, { file, at }: Source<unknown>, own: ExtendingSet): Source<SetFile> {
  const { extends: _, rows = [], defaults = {}, ...fields } = own;
  const inherited = base.value.rows.length;
  return {
    file,
    value: {
      ...replaced(base.value, fields),
      defaults: {
        ...base.value.defaults,
        ...defaults,
        ...merged("knobs", base.value.defaults, defaults),
        ...merged("env", base.value.defaults, defaults),
      },
      rows: [...base.value.rows, ...rows],
    },
    at: (path) => {
      const [field, index, ...rest] = path;
      if (field !== "rows" || typeof index !== "number") return at(path);
      return index < inherited ? base.at(path) : at([field, index - inherited, ...rest]);
    },
  };
}

/** A map that both may have; absent where neither has it. */
function merged<Field extends "knobs" | "env">(field: Field, base: SetFile["defaults"], own: SetFile["defaults"]) {
  return base[field] === undefined && own[field] === undefined ? {} : { [field]: { ...base[field], ...own[field] } };
}
