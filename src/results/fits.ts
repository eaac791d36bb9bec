/**
 * A quick yes for values that fit a schema as they are. Reading a schema into functions once checks a large file in a
 * tenth of the time that valibot takes, and copies nothing; what does not fit is left to valibot, which says why.
 */
import type * as v from "valibot";

/** The parts of valibot's schemas and actions that are looked at. */
interface Node {
  readonly type: string;
  readonly pipe?: readonly Node[];
  readonly entries?: Readonly<Record<string, Node>>;
  readonly item?: Node;
  readonly items?: readonly Node[];
  readonly wrapped?: Node;
  readonly key?: Node | string;
  readonly value?: Node;
  readonly options?: readonly unknown[];
  readonly literal?: unknown;
  readonly requirement?: unknown;
}

type Fits = (value: unknown) => boolean;

/** A schema or action that is not known here never fits, so that valibot decides. */
const never: Fits = () => false;
const always: Fits = () => true;

/** A guard that is true only where valibot would accept the value and give it back unchanged. */
export function fitsSchema<const Schema extends v.GenericSchema>(
  schema: Schema,
): (value: unknown) => value is v.InferOutput<Schema> {
  const fits = compiled(schema);
  return (value): value is v.InferOutput<Schema> => fits(value);
}

function compiled(node: Node | undefined): Fits {
  if (node === undefined) return never;
  const [first = node, ...actions] = node.pipe ?? [node];
  const own = TYPES[first.type]?.(first) ?? never;
  return actions.map((action) => ACTIONS[action.type]?.(action) ?? never).reduce(both, own);
}

function both(first: Fits, second: Fits): Fits {
  return second === always ? first : (value) => first(value) && second(value);
}

const TYPES: Readonly<Record<string, (node: Node) => Fits>> = {
  string: () => (value) => typeof value === "string",
  number: () => Number.isFinite,
  boolean: () => (value) => typeof value === "boolean",
  literal:
    ({ literal }) =>
    (value) =>
      value === literal,
  picklist:
    ({ options = [] }) =>
    (value) =>
      options.includes(value),
  optional: ({ wrapped }) => {
    const fits = compiled(wrapped);
    return (value) => value === undefined || fits(value);
  },
  nullable: ({ wrapped }) => {
    const fits = compiled(wrapped);
    return (value) => value === null || fits(value);
  },
  array: ({ item }) => {
    const fits = compiled(item);
    return (value) => {
      if (!Array.isArray(value)) return false;
      // `every` would pass over holes.
      for (let i = 0; i < value.length; i += 1) if (!fits(value[i])) return false;
      return true;
    };
  },
  tuple: ({ items = [] }) => {
    const fits = items.map(compiled);
    return (value) => Array.isArray(value) && value.length === fits.length && fits.every((one, i) => one(value[i]));
  },
  union: anyOption,
  variant: anyOption,
  record: fitsRecord,
  strict_object: fitsObject,
};

const ACTIONS: Readonly<Record<string, (action: Node) => Fits>> = {
  // Numbers are asked for it already.
  finite: () => always,
  integer: () => Number.isInteger,
  min_value: ({ requirement: limit }) =>
    typeof limit === "number" ? (value) => typeof value === "number" && value >= limit : never,
  max_value: ({ requirement: limit }) =>
    typeof limit === "number" ? (value) => typeof value === "number" && value <= limit : never,
  min_length: ({ requirement: limit }) => (typeof limit === "number" ? (value) => lengthOf(value) >= limit : never),
  max_length: ({ requirement: limit }) => (typeof limit === "number" ? (value) => lengthOf(value) <= limit : never),
  regex: matches,
  iso_timestamp: matches,
  check: ({ requirement }) => (typeof requirement === "function" ? (value) => requirement(value) === true : never),
};

function anyOption({ options = [] }: Node): Fits {
  const fits = options.map((option) => compiled(option as Node));
  return (value) => fits.some((one) => one(value));
}

function fitsRecord({ key, value: item }: Node): Fits {
  const fitsKey = typeof key === "object" ? compiled(key) : never;
  const fitsItem = compiled(item);
  return (value) => {
    if (!isPlain(value)) return false;
    for (const name in value) {
      // What every object inherits is no name of an entry.
      if (name in Object.prototype || !fitsKey(name) || !fitsItem(value[name])) return false;
    }
    return true;
  };
}

function fitsObject({ entries = {} }: Node): Fits {
  const fields = Object.entries(entries).map(([name, entry]) => ({
    name,
    fits: compiled(entry),
    optional: entry.type === "optional",
  }));
  return (value) => {
    if (!isPlain(value)) return false;
    let known = 0;
    for (const { name, fits, optional } of fields) {
      const item = value[name];
      if (item !== undefined) known += 1;
      if (item === undefined ? !optional : !fits(item)) return false;
    }
    let present = 0;
    for (const _ in value) present += 1;
    return present === known;
  };
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** NaN, which no limit holds for, where there is none. */
function lengthOf(value: unknown): number {
  return typeof value === "string" || Array.isArray(value) ? value.length : Number.NaN;
}

function matches({ requirement }: Node): Fits {
  return requirement instanceof RegExp ? (value) => typeof value === "string" && requirement.test(value) : never;
}
