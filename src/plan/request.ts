/** A request of servers.yml -> what is sent and expected, and which load generator can send it. */
import { resolve } from "node:path";
import type { Entry } from "./load.js";
import type { BodySpec, RequestEntry } from "./schema.js";
import type { Body, GeneratorName, InterfaceName, PlannedRequest } from "./types.js";

/** @throws Error naming the request; the caller adds the place */
export function plannedRequest(
  name: string,
  { value: entry, folder }: Entry<RequestEntry>,
  interfaceName: InterfaceName,
): PlannedRequest {
  const { grpc, path, method, headers, expect } = entry;
  const wanted = interfaceName === "grpc" ? "grpc" : "path";
  const other = wanted === "grpc" ? "path" : "grpc";
  if (entry[wanted] === undefined || entry[other] !== undefined)
    throw new Error(`request "${name}" needs "${wanted}" and no "${other}" for the interface ${interfaceName}`);
  const body = entry.body && plannedBody(entry.body);
  const expected = expect.body === "echo" ? body : plannedBody(expect.body);
  if (!expected) throw new Error(`request "${name}" expects an echo but sends no body`);
  for (const { kind } of [expected, ...(body ? [body] : [])]) {
    if ((kind === "message") !== (interfaceName === "grpc"))
      throw new Error(`request "${name}": a body is a message for gRPC, and only there`);
  }
  return {
    name,
    method: method ?? (grpc === undefined ? "GET" : "POST"),
    path: grpc === undefined ? (path ?? "") : `/${grpc.call}`,
    headers,
    ...(grpc === undefined ? {} : { grpc: { proto: resolve(folder, grpc.proto), call: grpc.call } }),
    ...(body ? { body } : {}),
    expect: { status: expect.status, body: expected },
  };
}

function plannedBody(spec: BodySpec): Body {
  if ("text" in spec) return { kind: "text", text: spec.text };
  if ("file" in spec) return { kind: "file", name: spec.file };
  if ("message" in spec) return { kind: "message", fields: spec.message };
  return { kind: "repeat", character: spec.repeat, sizeBytes: spec.size };
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
