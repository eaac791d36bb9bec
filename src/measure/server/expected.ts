/** What a right answer is, and how an answer differs from it: both side by side, cut to what a reader needs. */
import { isLoginAddress } from "./login-address.js";
import type { Answer, Attempt } from "./probe.js";

/** Bytes, both included. */
export interface SizeRange {
  readonly least: number;
  readonly most: number;
}

/** What a right body is. */
export type BodyRule =
  | { readonly kind: "bytes"; readonly bytes: Buffer }
  | { readonly kind: "size"; readonly size: SizeRange }
  /** JSON that holds at least this. */
  | { readonly kind: "json"; readonly subset: unknown }
  | { readonly kind: "regex"; readonly pattern: RegExp }
  | { readonly kind: "any" };

export interface Expected {
  /** Undefined: any status of success; `any`: any at all. */
  readonly status: number | "any" | undefined;
  /** Media type; undefined: any. */
  readonly type?: string | undefined;
  readonly body: BodyRule;
}

export const ANY_ANSWER: Expected = { status: "any", body: { kind: "any" } };

export interface Difference {
  /** The same for answers that differ in the same way. */
  readonly kind: string;
  readonly words: string;
}

/** Describes how an answer differs from the expected one; undefined where it does not. */
export function difference(seen: Attempt, expected: Expected): Difference | undefined {
  if (seen.kind === "none") return { kind: "none", words: seen.why };
  const problem =
    statusProblem(seen, expected) ??
    typeProblem(seen, expected) ??
    bodyProblem(seen.body, expected.body) ??
    excessProblem(seen, expected);
  if (problem === undefined) return undefined;
  const from = problem.at ?? 0;
  const sides = `expected ${expectedWords(expected, from)}; got ${answerWords(seen, from)}`;
  const hint = problem.hint ?? "";
  return {
    kind: `${seen.status} ${problem.kind}`,
    words: `${sides}${problem.note === undefined ? "" : ` (${problem.note})`}${hint === "" ? "" : `. ${hint}`}`,
  };
}

interface Problem {
  readonly kind: "status" | "type" | "body" | "excess";
  /** The first byte that is wrong. */
  readonly at?: number;
  readonly note?: string;
  /** A whole sentence. */
  readonly hint?: string | undefined;
}

function statusProblem(seen: Answer, { status }: Expected): Problem | undefined {
  const isRight = status === undefined ? isSuccess(seen.status) : status === "any" || seen.status === status;
  return isRight ? undefined : { kind: "status", hint: statusHint(seen) };
}

/** 101: the handshake of a websocket. */
function isSuccess(status: number): boolean {
  return status === 101 || (status >= 200 && status < 300);
}

export const TOO_MANY = 429;
export const RATE_LIMITED = "The app limits its requests: turn its rate limit off for the measurement";

function statusHint({ status, location }: Answer): string | undefined {
  if (status === TOO_MANY) return RATE_LIMITED;
  if (location?.startsWith("https://") && status >= 300 && status < 400)
    return "The app redirects to https: send X-Forwarded-Proto: https with the request's headers to an app that trusts it (Django: SECURE_PROXY_SSL_HEADER), or turn the redirect off (SECURE_SSL_REDIRECT)";
  if (location !== undefined && status >= 300 && status < 400) {
    return isLoginAddress(location)
      ? "This looks like a redirect to a login page: choose a route that needs no session, or send one with the request's headers"
      : "This is a redirect: give the path that it leads to, or expect its status";
  }
  if (status === 401 || status === 403)
    return "The route asks for authentication: choose one that does not, or send it with the request's headers";
  if (status === 405) return "The route takes another method: give the request's method";
  return undefined;
}

function typeProblem(seen: Answer, { type }: Expected): Problem | undefined {
  return type === undefined || hasType(seen.type, type) ? undefined : { kind: "type" };
}

/** Parameters such as a charset count only where they are expected. */
function hasType(seen: string | undefined, expected: string): boolean {
  const parts = (type: string) => type.toLowerCase().replaceAll(/\s/g, "");
  if (seen === undefined) return false;
  return expected.includes(";") ? parts(seen) === parts(expected) : mediaType(seen) === mediaType(expected);
}

/** Without parameters, in lower case. */
export function mediaType(type: string): string {
  return (type.split(";")[0] ?? "").trim().toLowerCase();
}

function bodyProblem(body: Buffer, rule: BodyRule): Problem | undefined {
  switch (rule.kind) {
    case "any":
      return undefined;
    case "bytes":
      return bytesProblem(body, rule.bytes);
    case "size":
      return body.length >= rule.size.least && body.length <= rule.size.most ? undefined : { kind: "body" };
    case "regex":
      return rule.pattern.test(body.toString()) ? undefined : { kind: "body", note: "the pattern does not match" };
    case "json":
      return jsonProblem(body, rule.subset);
  }
}

/** Where any answer is right, the caller looks at it. */
function excessProblem({ excess }: Answer, { status }: Expected): Problem | undefined {
  if (excess === undefined || status === "any") return undefined;
  return {
    kind: "excess",
    note: excess,
    hint: "Clients close the connection after such an answer, so the benchmark would measure new connections: let the app send no more than that",
  };
}

function bytesProblem(body: Buffer, right: Buffer): Problem | undefined {
  if (body.equals(right)) return undefined;
  let at = 0;
  while (at < body.length && body[at] === right[at]) at++;
  const note = at >= body.length || at >= right.length ? `equal up to byte ${at}` : `they differ at byte ${at}`;
  return { kind: "body", at, note };
}

function jsonProblem(body: Buffer, subset: unknown): Problem | undefined {
  let value: unknown;
  try {
    value = JSON.parse(body.toString());
  } catch {
    return { kind: "body", note: "the body is not JSON" };
  }
  const path = missingFrom(value, subset, "$");
  return path === undefined ? undefined : { kind: "body", note: `they differ at ${path}` };
}

/** The first place where the value lacks something of the subset. Lists have to be equal in length. */
function missingFrom(value: unknown, subset: unknown, path: string): string | undefined {
  if (Array.isArray(subset)) {
    if (!Array.isArray(value) || value.length !== subset.length) return path;
    return firstOf(subset.map((item, i) => missingFrom(value[i], item, `${path}[${i}]`)));
  }
  if (typeof subset === "object" && subset !== null) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return path;
    const held = new Map<string, unknown>(Object.entries(value));
    return firstOf(Object.entries(subset).map(([key, item]) => missingFrom(held.get(key), item, `${path}.${key}`)));
  }
  return value === subset ? undefined : path;
}

function firstOf(paths: readonly (string | undefined)[]): string | undefined {
  return paths.find((path) => path !== undefined);
}

function expectedWords({ status, type, body }: Expected, at: number): string {
  return [`status ${status ?? "2xx"}`, type, ruleWords(body, at)].filter((part) => part !== undefined).join(", ");
}

function ruleWords(rule: BodyRule, at: number): string | undefined {
  switch (rule.kind) {
    case "any":
      return undefined;
    case "bytes":
      return bodyWords(rule.bytes, at);
    case "size":
      return sizeWords(rule.size);
    case "regex":
      return `a body that matches ${clip(String(rule.pattern))}`;
    case "json":
      return `JSON with ${clip(JSON.stringify(rule.subset) ?? "")}`;
  }
}

/** `5 bytes`, `1,000 to 1,400 bytes` */
export function sizeWords({ least, most }: SizeRange): string {
  const words = (bytes: number) => bytes.toLocaleString("en-US");
  return least === most
    ? `${words(least)} ${least === 1 ? "byte" : "bytes"}`
    : `${words(least)} to ${words(most)} bytes`;
}

function answerWords({ status, type, location, body }: Answer, at: number): string {
  const to = location === undefined ? "" : ` to ${clip(location)}`;
  return [`status ${status}${to}`, type === undefined ? undefined : clip(type), bodyWords(body, at)]
    .filter((part) => part !== undefined)
    .join(", ");
}

function bodyWords(body: Buffer, at: number): string {
  const size = sizeWords({ least: body.length, most: body.length });
  return body.length === 0 ? size : `${size} ${excerpt(body, at)}`;
}

/** Bytes that are shown as text, and as hexadecimal digits. */
const EXCERPT = 60;
const EXCERPT_HEX = 16;

/** The part of a body around a byte: text in quotes, anything else in hexadecimal. */
function excerpt(body: Buffer, at: number): string {
  const isText = !/[\p{Cc}\ufffd]/u.test(body.subarray(0, EXCERPT).toString().replaceAll(/\s|.$/gsu, ""));
  const length = isText ? EXCERPT : EXCERPT_HEX;
  const from = at > length / 2 ? at - Math.floor(length / 3) : 0;
  const part = body.subarray(from, from + length);
  const before = from > 0 ? "..." : "";
  const after = from + part.length < body.length ? "..." : "";
  return isText ? JSON.stringify(`${before}${part.toString()}${after}`) : `0x${before}${part.toString("hex")}${after}`;
}

const CLIPPED = 120;

function clip(text: string): string {
  return text.length > CLIPPED ? `${text.slice(0, CLIPPED)}...` : text;
}
