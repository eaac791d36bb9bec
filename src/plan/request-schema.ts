/** The shape of the requests in servers.yml: what is sent, and what a right answer is. */
import * as v from "valibot";

const text = v.pipe(v.string(), v.minLength(1, "not empty"));
const bytes = v.pipe(v.number(), v.integer("a whole number"), v.minValue(0, "0 or more"));
const count = v.pipe(v.number(), v.integer("a whole number"), v.minValue(1, "1 or more"));

export const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] as const;

const bodyOptions = [
  v.strictObject({ text: v.string() }),
  v.strictObject({ repeat: v.pipe(v.string(), v.length(1, "one character")), size: count }),
  /** Relative to the file that names it. */
  v.strictObject({ file: text }),
  /** Protocol Buffers: field number -> value; a field with its default value is left out. */
  v.strictObject({
    message: v.record(
      v.pipe(v.string(), v.regex(/^[1-9]\d{0,8}$/, "a field number")),
      v.union([v.string(), v.pipe(v.number(), v.safeInteger("a whole number")), v.boolean()]),
    ),
  }),
] as const;
/** A whole JSON value in a request; a part of one in an answer. */
const json = v.strictObject({ json: v.unknown() });

const body = v.union(bodyOptions);
export type BodySpec = v.InferOutput<typeof body>;

const sizeRange = v.pipe(
  v.tuple([bytes, bytes]),
  v.check(([least, most]) => least <= most, "the smaller size first"),
);

/** What a right body is. */
const bodyCheck = v.union([
  /** `echo`: the request's own body. `any`: bodies are not checked. */
  v.picklist(["echo", "any"]),
  ...bodyOptions,
  /** Bytes, or the least and the most. */
  v.strictObject({ size: v.union([bytes, sizeRange]) }),
  json,
  v.strictObject({ regex: v.pipe(text, v.check(isRegex, "a regular expression of JavaScript")) }),
]);
export type BodyCheckSpec = v.InferOutput<typeof bodyCheck>;

function isRegex(pattern: string): boolean {
  try {
    new RegExp(pattern, "u");
    return true;
  } catch {
    return false;
  }
}

/** An HTTP request by its path, or a gRPC call, whose bodies are messages. */
export const request = v.strictObject({
  method: v.optional(v.picklist(METHODS)),
  path: v.optional(v.pipe(v.string(), v.startsWith("/"))),
  /** Added to the path: name -> value or values. */
  query: v.optional(
    v.record(
      text,
      v.union([v.string(), v.number(), v.boolean(), v.array(v.union([v.string(), v.number(), v.boolean()]))]),
    ),
  ),
  grpc: v.optional(
    v.strictObject({
      /** The .proto file, relative to the file that names it. */
      proto: text,
      call: v.pipe(v.string(), v.regex(/^[\w.]+\/\w+$/, "package.Service/Method")),
    }),
  ),
  /** For gRPC: metadata. */
  headers: v.optional(
    v.record(
      v.pipe(v.string(), v.regex(/^[\w!#$%&'*+.^`|~-]+$/, "a header's name")),
      v.pipe(v.string(), v.regex(/^[\t\x20-\x7e\x80-\xff]*$/, "a header's value in one line")),
    ),
    {},
  ),
  body: v.optional(v.union([...bodyOptions, json])),
  /** Default: each side's first answers. */
  expect: v.optional(
    v.strictObject({
      status: v.optional(v.pipe(v.number(), v.integer(), v.minValue(100), v.maxValue(599)), 200),
      /** The media type, such as `application/json`. */
      type: v.optional(v.pipe(v.string(), v.regex(/^[\w.+-]+\/[\w.+-]+(\s*;.*)?$/, "a type such as text/html"))),
      /** The right body. Default: as in each side's first answers. */
      body: v.optional(bodyCheck),
    }),
  ),
});
export type RequestEntry = v.InferOutput<typeof request>;
