/** A request of servers.yml -> what is sent and expected, and which load generator can send it. */
import { resolve } from "node:path";
import type { Entry } from "./load.js";
import type { BodyCheckSpec, BodySpec, RequestEntry } from "./request-schema.js";
import type { Body, BodyCheck, Expect, GeneratorName, InterfaceName, PlannedRequest } from "./types.js";

/** @throws Error naming the request; the caller adds the place */
export function plannedRequest(
  name: string,
  { value: entry, folder }: Entry<RequestEntry>,
  interfaceName: InterfaceName,
): PlannedRequest {
  const { grpc, path, method } = entry;
  const isGrpc = interfaceName === "grpc";
  const [wanted, other] = isGrpc ? (["grpc", "path"] as const) : (["path", "grpc"] as const);
  if (entry[wanted] === undefined || entry[other] !== undefined)
    throw new Error(`request "${name}" needs "${wanted}" and no "${other}" for the interface ${interfaceName}`);
  if (isGrpc && entry.query) throw new Error(`request "${name}": a gRPC call has no query`);
  const body = entry.body && sentBody(entry.body, folder);
  const expect = plannedExpect(name, entry, body, folder);
  for (const { kind } of [expect.body, ...(body ? [body] : [])]) checkKind(name, kind, interfaceName);
  return {
    name,
    method: method ?? (grpc === undefined ? "GET" : "POST"),
    path: grpc === undefined ? withQuery(name, path ?? "", entry.query) : `/${grpc.call}`,
    headers: headersOf(entry),
    ...(grpc === undefined ? {} : { grpc: { proto: resolve(folder, grpc.proto), call: grpc.call } }),
    ...(body ? { body } : {}),
    expect,
  };
}

/** JSON is sent as such, unless a header names another type. */
function headersOf({ headers, body }: RequestEntry): Readonly<Record<string, string>> {
  const isTyped = Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
  return body && "json" in body && !isTyped ? { ...headers, "content-type": "application/json" } : headers;
}

function withQuery(name: string, path: string, query: RequestEntry["query"]): string {
  if (path.includes("#")) throw new Error(`request "${name}": a path has no fragment (#...): servers never see it`);
  if (/[\s\p{Cc}]/u.test(path))
    throw new Error(`request "${name}": the path has a space or a control character; write %20`);
  if (query === undefined) return path;
  if (path.includes("?")) throw new Error(`request "${name}": the path has a query already; give one of the two`);
  const pairs = Object.entries(query).flatMap(([key, value]) =>
    (Array.isArray(value) ? value : [value]).map((one): [string, string] => [key, String(one)]),
  );
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`;
}

function plannedExpect(name: string, { expect, method }: RequestEntry, body: Body | undefined, folder: string): Expect {
  if (expect === undefined) return { status: "learned", body: { kind: "learned" } };
  const check = expect.body === undefined ? ({ kind: "learned" } as const) : plannedCheck(expect.body, body, folder);
  if (!check) throw new Error(`request "${name}" expects an echo but sends no body`);
  if (method === "HEAD" && !["learned", "any"].includes(check.kind))
    throw new Error(`request "${name}": an answer to HEAD has no body to check`);
  return { status: expect.status, ...(expect.type === undefined ? {} : { type: expect.type }), body: check };
}

/** Undefined: an echo of no body. */
function plannedCheck(spec: BodyCheckSpec, body: Body | undefined, folder: string): BodyCheck | undefined {
  if (spec === "echo") return body;
  if (spec === "any") return { kind: "any" };
  if ("regex" in spec) return { kind: "regex", pattern: spec.regex };
  if ("json" in spec) return { kind: "json", subset: spec.json };
  if ("size" in spec && !("repeat" in spec)) {
    const [minBytes, maxBytes] = typeof spec.size === "number" ? [spec.size, spec.size] : spec.size;
    return { kind: "size", minBytes, maxBytes };
  }
  return plannedBody(spec, folder);
}

function sentBody(spec: NonNullable<RequestEntry["body"]>, folder: string): Body {
  return "json" in spec ? { kind: "text", text: JSON.stringify(spec.json) } : plannedBody(spec, folder);
}

function plannedBody(spec: BodySpec, folder: string): Body {
  if ("text" in spec) return { kind: "text", text: spec.text };
  if ("file" in spec) return { kind: "file", name: spec.file, path: resolve(folder, spec.file) };
  if ("message" in spec) return { kind: "message", fields: spec.message };
  return { kind: "repeat", character: spec.repeat, sizeBytes: spec.size };
}

const OF_ANY_INTERFACE: ReadonlySet<BodyCheck["kind"]> = new Set(["learned", "any", "size"]);

function checkKind(name: string, kind: BodyCheck["kind"], interfaceName: InterfaceName): void {
  if (OF_ANY_INTERFACE.has(kind)) return;
  if ((kind === "message") !== (interfaceName === "grpc"))
    throw new Error(`request "${name}": a body is a message for gRPC, and only there`);
}

/** Whether the request asks for a websocket. */
export function asksForWebsocket({ headers }: Pick<PlannedRequest, "headers">): boolean {
  return Object.entries(headers).some(([name, value]) => name.toLowerCase() === "upgrade" && value === "websocket");
}

/** @throws Error where the load generator sends other requests */
export function checkSender(request: PlannedRequest, generator: GeneratorName): void {
  const asks = asksForWebsocket(request);
  if (generator === "websocket" && !asks)
    throw new Error(
      `generator websocket needs a request that asks for a websocket, and "${request.name}" does not: give it \`headers: { upgrade: websocket }\` and \`expect: { status: 101, body: { text: "" } }\``,
    );
  if (asks && generator !== "websocket")
    throw new Error(
      `request "${request.name}" asks for a websocket, and ${generator} cannot use one: write \`generator: websocket\``,
    );
}

/** The load generator that was asked for, or the usual one. @throws Error where it cannot send such requests */
export function generatorOf(
  asked: GeneratorName | undefined,
  interfaceName: InterfaceName,
  http: 1 | 2,
): GeneratorName {
  const generator = asked ?? (interfaceName === "grpc" ? "ghz" : "oha");
  if ((generator === "ghz") !== (interfaceName === "grpc"))
    throw new Error(`generator ${generator} cannot load ${interfaceName}: gRPC is loaded by ghz, and only by it`);
  if (generator === "wrk" && http !== 1) throw new Error(`generator wrk does not speak HTTP/${http}; use oha`);
  return generator;
}
