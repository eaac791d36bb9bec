import { once } from "node:events";
import http from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { attempt } from "../../../src/measure/server/attempt.js";

it("a handshake that is answered with a body without end leaves no connection", async () => {
  let closed: Promise<unknown> | undefined;
  const server = http.createServer((_, response) => {
    closed = once(response, "close");
    const more = setInterval(() => response.write("more"), 5);
    response.on("close", () => clearInterval(more));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const { port } = server.address() as AddressInfo;
    const headers = { upgrade: "websocket" };
    const probe = { port, method: "GET", path: "/", headers, body: undefined, http: 1, authority: undefined } as const;
    const seen = await attempt(probe, 5000, new AbortController().signal);
    expect(seen).toMatchObject({ kind: "answer", status: 200 });
    await closed;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}, 3000);
