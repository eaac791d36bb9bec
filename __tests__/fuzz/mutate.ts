/** Real files -> slightly wrong files: bytes are flipped, cut and doubled; values are replaced, left out and renamed. */
import * as fc from "fast-check";
import { hostileText } from "./texts.js";

type ByteEdit =
  | { readonly kind: "set"; readonly at: number; readonly byte: number }
  | { readonly kind: "insert"; readonly at: number; readonly bytes: Uint8Array }
  | { readonly kind: "remove"; readonly at: number; readonly length: number }
  | { readonly kind: "copy"; readonly at: number; readonly from: number; readonly length: number }
  | { readonly kind: "cut"; readonly at: number };

/** Where in the file, as a share of its length: the same edits fit every file. */
const place = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
const length = fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 300 }));
/** Bytes that mean something to JSON, YAML, zip and UTF-8. */
const telling = fc
  .constantFrom(..."{}[]\",:\\-0e.\n\t &*#'|", "\0", "\x7f", "\xc0", "\xff")
  .map((c) => c.charCodeAt(0));

const byteEdit: fc.Arbitrary<ByteEdit> = fc.oneof(
  fc.record({ kind: fc.constant("set" as const), at: place, byte: fc.oneof(telling, fc.nat(255)) }),
  fc.record({ kind: fc.constant("insert" as const), at: place, bytes: fc.uint8Array({ minLength: 1, maxLength: 6 }) }),
  fc.record({ kind: fc.constant("remove" as const), at: place, length }),
  fc.record({ kind: fc.constant("copy" as const), at: place, from: place, length }),
  fc.record({ kind: fc.constant("cut" as const), at: place }),
);

export function mutatedBytes(files: readonly (Buffer | string)[]): fc.Arbitrary<Buffer> {
  return fc
    .tuple(
      fc.constantFrom(...files.map((file) => Buffer.from(file))),
      fc.array(byteEdit, { minLength: 1, maxLength: 5 }),
    )
    .map(([file, edits]) => edits.reduce(editBytes, file));
}

function editBytes(bytes: Buffer, edit: ByteEdit): Buffer {
  const at = Math.floor(edit.at * bytes.length);
  const splice = (removed: number, added: Uint8Array) =>
    Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)]);
  switch (edit.kind) {
    case "set":
      return splice(1, Buffer.from([edit.byte]));
    case "insert":
      return splice(0, edit.bytes);
    case "remove":
      return splice(edit.length, Buffer.alloc(0));
    case "copy": {
      const from = Math.floor(edit.from * bytes.length);
      return splice(0, bytes.subarray(from, from + edit.length));
    }
    case "cut":
      return bytes.subarray(0, at);
  }
}

/** In the place of a number that JSON can write and no double can hold. */
const HUGE = "@@1e999@@";

const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);

/** Values that readers take for granted not to come. */
const strange: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    false,
    "",
    [],
    {},
    0,
    -0,
    -1,
    0.5,
    1e-320,
    1e308,
    -1e308,
    2 ** 53,
    2 ** 53 + 2,
    HUGE,
  ),
  fc.constantFrom<unknown>(
    "__proto__",
    "constructor",
    "0",
    "NaN",
    "2025-13-45T99:99:99Z",
    "x".repeat(30_000),
    nested(40),
  ),
  fc.double(),
  fc.integer(),
  hostileText,
  fc.jsonValue({ maxDepth: 2 }),
);

type ValueEdit =
  | { readonly kind: "replace"; readonly at: number; readonly value: unknown }
  | { readonly kind: "remove" | "double"; readonly at: number }
  | { readonly kind: "rename"; readonly at: number; readonly name: string }
  | { readonly kind: "move"; readonly at: number; readonly from: number };

const valueEdit: fc.Arbitrary<ValueEdit> = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant("replace" as const), at: place, value: strange }), weight: 4 },
  fc.record({ kind: fc.constantFrom("remove" as const, "double" as const), at: place }),
  fc.record({
    kind: fc.constant("rename" as const),
    at: place,
    name: fc.oneof(fc.constantFrom("__proto__", "constructor", "toString", "", "unknown"), hostileText),
  }),
  fc.record({ kind: fc.constant("move" as const), at: place, from: place }),
);

/** JSON texts of values of which some are not what they were. */
export function mutatedJson(values: readonly unknown[], most = 4): fc.Arbitrary<Buffer> {
  return mutatedValue(values, most).map((value) => Buffer.from(jsonOf(value)));
}

function mutatedValue(values: readonly unknown[], most = 4): fc.Arbitrary<unknown> {
  const texts = values.map((value) => JSON.stringify(value));
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(valueEdit, { minLength: 0, maxLength: most }))
    .map(([text, edits]) => edits.reduce(editValue, JSON.parse(text) as unknown));
}

function jsonOf(value: unknown): string {
  return (JSON.stringify(value) ?? "null").replaceAll(`"${HUGE}"`, "1e999");
}

type Holder = Record<string, unknown>;
interface Site {
  readonly holder: Holder;
  readonly key: string;
}

function editValue(root: unknown, edit: ValueEdit): unknown {
  const sites = sitesOf(root);
  const site = sites[Math.floor(edit.at * sites.length)];
  // A root without values: it is replaced as a whole.
  if (site === undefined) return edit.kind === "replace" ? structuredClone(edit.value) : root;
  const { holder, key } = site;
  switch (edit.kind) {
    case "replace":
      // Later edits must not change the value that other cases get too.
      set(holder, key, structuredClone(edit.value));
      break;
    case "remove":
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      break;
    case "double":
      if (Array.isArray(holder)) holder.splice(Number(key), 0, structuredClone(holder[Number(key)]));
      else set(holder, `${key}2`, structuredClone(holder[key]));
      break;
    case "rename":
      if (!Array.isArray(holder)) {
        set(holder, edit.name, holder[key]);
        if (edit.name !== key) delete holder[key];
      }
      break;
    case "move": {
      const from = sites[Math.floor(edit.from * sites.length)];
      if (from !== undefined) set(holder, key, structuredClone(from.holder[from.key]));
      break;
    }
  }
  return root;
}

/** Also a name such as `__proto__` becomes a field of the object itself, as JSON.parse makes it. */
function set(holder: Holder, key: string, value: unknown): void {
  Object.defineProperty(holder, key, { value, writable: true, enumerable: true, configurable: true });
}

const SITES_MAX = 5000;

function sitesOf(root: unknown): Site[] {
  const sites: Site[] = [];
  const visit = (value: unknown) => {
    if (typeof value !== "object" || value === null || sites.length > SITES_MAX) return;
    for (const key of Object.keys(value)) {
      sites.push({ holder: value as Holder, key });
      visit((value as Holder)[key]);
    }
  };
  visit(root);
  return sites;
}
