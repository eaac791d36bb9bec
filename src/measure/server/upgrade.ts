/** The handshake of a websocket (RFC 6455, section 4) with Node's own client, and the close frame afterwards. */
import { createHash, randomBytes } from "node:crypto";
import http from "node:http";
import type { Duplex } from "node:stream";
import { HOST } from "./port.js";
import type { Attempt, Probe } from "./probe.js";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const EMPTY = Buffer.alloc(0);
/** A masked close frame with status 1000. */
const CLOSE_FRAME = Buffer.from([0x88, 0x82, 0, 0, 0, 0, 0x03, 0xe8]);
/** How long the server may take to close in turn. */
const CLOSE_GRACE_MS = 200;

function closed(socket: Duplex): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => socket.destroy(), CLOSE_GRACE_MS);
    socket.on("error", () => {});
    socket.on("close", () => {
      clearTimeout(timer);
      resolve();
    });
    socket.resume().on("end", () => socket.end());
    socket.write(CLOSE_FRAME);
  });
}

/** A handshake that the server accepts as RFC 6455 demands is an answer of status 101 without a body. @throws when no answer comes */
export function shakeHands({ port, method, path, headers }: Probe, signal: AbortSignal): Promise<Attempt> {
  const key = randomBytes(16).toString("base64");
  const accept = createHash("sha1")
    .update(key + GUID)
    .digest("base64");
  const fields = { ...headers, connection: "Upgrade", "sec-websocket-version": "13", "sec-websocket-key": key };
  return new Promise((resolve, reject) => {
    const request = http.request({ host: HOST, port, method, path, headers: fields, agent: false, signal });
    request.on("upgrade", (response, socket) => {
      const right = response.headers["sec-websocket-accept"] === accept;
      const answer: Attempt = right
        ? { kind: "answer", status: response.statusCode ?? 0, body: EMPTY }
        : {
            kind: "none",
            why: "a websocket handshake whose Sec-WebSocket-Accept does not answer the key",
            refused: true,
          };
      // From here on an abort only ends the closing.
      request.off("error", reject).on("error", () => {});
      void closed(socket).then(() => resolve(answer));
    });
    request.on("response", (response) => {
      // Its body may never end.
      response.destroy();
      resolve({ kind: "answer", status: response.statusCode ?? 0, body: EMPTY });
    });
    request.on("error", reject).end();
  });
}
