/** Answers with bytes after their end, from servers that write exactly these bytes. */
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { attempt } from "../../../src/measure/server/attempt.js";
import { difference } from "../../../src/measure/server/expected.js";
import { HOST } from "../../../src/measure/server/port.js";

/** @param pieces what it answers, each in a packet of its own; it keeps the connection */
async function answered(method: string, pieces: readonly string[]) {
  await using server = createServer((socket) => {
    socket
      .on("error", () => {})
      .once("data", async () => {
        for (const piece of pieces) {
          socket.write(piece);
          await sleep(5);
        }
      });
  }).listen(0, HOST);
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const probe = { port, method, path: "/", headers: {}, body: undefined, http: 1 } as const;
  return await attempt(probe, 5000, new AbortController().signal);
}

const OK = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n";

it.each([
  [
    "a body of a 204",
    "GET",
    ["HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello"],
    "5 bytes follow it, although status 204 has no body",
  ],
  [
    "one that comes later",
    "GET",
    ["HTTP/1.1 204 No Content\r\n\r\n", "hello"],
    "5 bytes follow it, although status 204 has no body",
  ],
  [
    "an empty chunked one",
    "GET",
    ["HTTP/1.1 304 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "0\r\n\r\n"],
    "5 bytes follow it, although status 304 has no body",
  ],
  ["a body for HEAD", "HEAD", [`${OK}hello`], "5 bytes follow it, although an answer to HEAD has no body"],
  ["more than announced", "GET", [`${OK}hello!`], "1 byte follows it, beyond its Content-Length"],
])("%s", async (_, method, pieces, excess) => {
  const seen = await answered(method, pieces);
  expect(seen).toMatchObject({ kind: "answer", excess });
  const status = seen.kind === "answer" ? seen.status : 0;
  expect(difference(seen, { status, body: { kind: "any" } })?.words).toContain(
    `(${excess}). Clients close the connection`,
  );
  expect(difference(seen, { status: "any", body: { kind: "any" } })).toBeUndefined();
});

it.each([
  ["GET", ["HTTP/1.1 204 No Content\r\n\r\n"]],
  ["GET", ["HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", "HTTP/1.1 204 No Content\r\n\r\n"]],
  ["GET", ["HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"]],
  ["HEAD", [OK]],
  ["GET", [OK, "hel", "lo"]],
  ["GET", ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", "0\r\n\r\n"]],
])("nothing follows a right answer: %s %j", async (method, pieces) => {
  const seen = await answered(method, pieces);
  expect(seen.kind).toBe("answer");
  expect(seen).not.toHaveProperty("excess", expect.anything());
});
