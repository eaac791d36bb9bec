import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkSender, generatorOf, plannedRequest } from "../../src/plan/request.js";
import type { RequestEntry } from "../../src/plan/request-schema.js";

const entry = (value: Partial<RequestEntry>) => ({
  folder: "/tool/scenarios",
  at: "servers.yml:1",
  value: { headers: {}, expect: { status: 200, body: { text: "Hello" } }, ...value },
});
const CALL = { proto: "../apps/cpu.proto", call: "cpu.Cpu/LongRunning" };
const DONE = { status: 200, body: { message: { "1": "Done" } } };

describe("plannedRequest", () => {
  it("is a GET unless it says otherwise", () => {
    expect(plannedRequest("hello", entry({ path: "/hello" }), "wsgi")).toEqual({
      name: "hello",
      method: "GET",
      path: "/hello",
      headers: {},
      expect: { status: 200, body: { kind: "text", text: "Hello" } },
    });
    expect(plannedRequest("echo", entry({ path: "/echo", method: "POST" }), "asgi").method).toBe("POST");
  });
  it("is a call with messages for gRPC, whose proto is found beside the file that names it", () => {
    const call = entry({ grpc: CALL, body: { message: {} }, expect: DONE });
    expect(plannedRequest("cpu", call, "grpc")).toMatchObject({
      method: "POST",
      path: "/cpu.Cpu/LongRunning",
      grpc: { proto: join("/tool/apps/cpu.proto"), call: "cpu.Cpu/LongRunning" },
      body: { kind: "message", fields: {} },
      expect: { body: { kind: "message", fields: { "1": "Done" } } },
    });
  });
  it.each([
    [entry({ path: "/cpu" }), "grpc", `request "cpu" needs "grpc" and no "path" for the interface grpc`],
    [entry({ grpc: CALL, expect: DONE }), "wsgi", `request "cpu" needs "path" and no "grpc" for the interface wsgi`],
    [entry({}), "asgi", `request "cpu" needs "path" and no "grpc" for the interface asgi`],
    [entry({ grpc: CALL }), "grpc", `request "cpu": a body is a message for gRPC, and only there`],
    [entry({ path: "/", expect: DONE }), "asgi", `request "cpu": a body is a message for gRPC, and only there`],
    [
      entry({ path: "/", expect: { status: 200, body: "echo" } }),
      "asgi",
      `request "cpu" expects an echo but sends no body`,
    ],
  ] as const)("refuses %j on %s", (wrong, interfaceName, message) => {
    expect(() => plannedRequest("cpu", wrong, interfaceName)).toThrow(message);
  });
});

describe("checkSender", () => {
  const ordinary = plannedRequest("get", entry({ path: "/" }), "asgi");
  const socket = { ...ordinary, name: "broadcast", headers: { Upgrade: "websocket" } };
  it("takes a websocket with its own load generator, and all else with the others", () => {
    expect(() => checkSender(socket, "websocket")).not.toThrow();
    expect(() => checkSender(ordinary, "oha")).not.toThrow();
  });
  it("names the field that is missing beside the other", () => {
    expect(() => checkSender(socket, "oha")).toThrow(
      'request "broadcast" asks for a websocket, and oha cannot use one: write `generator: websocket`',
    );
    expect(() => checkSender(ordinary, "websocket")).toThrow(
      'and "get" does not: give it `headers: { upgrade: websocket }`',
    );
  });
});

describe("generatorOf", () => {
  it("is oha, and ghz for gRPC", () => {
    expect(generatorOf(undefined, "asgi", 2)).toBe("oha");
    expect(generatorOf(undefined, "grpc", 2)).toBe("ghz");
    expect(generatorOf("wrk", "wsgi", 1)).toBe("wrk");
  });
  it("refuses one that cannot send such requests", () => {
    expect(() => generatorOf("oha", "grpc", 2)).toThrow("generator oha cannot load grpc");
    expect(() => generatorOf("ghz", "wsgi", 1)).toThrow("generator ghz cannot load wsgi");
    expect(() => generatorOf("wrk", "asgi", 2)).toThrow("generator wrk does not speak HTTP/2; use oha");
  });
});
