/** The bare HTTP under the double: a server on loopback, bodies read whole, answers written whole. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

export interface Received {
  readonly method: string;
  /** Still encoded, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
  /** Parsed JSON, or undefined. */
  readonly body: unknown;
  /** performance.now() at arrival. */
  readonly atMs: number;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A Buffer is sent as it is, text as HTML, everything else as JSON; undefined: no body. */
  readonly body?: unknown;
}

/** "silent" never answers, "reset" cuts the connection. */
export type Outcome = Reply | "silent" | "reset";

export type Listening = Awaited<ReturnType<typeof listen>>;

export async function listen(handle: (received: Received) => Promise<Outcome>) {
  const server = createServer((request, response) => {
    receive(request)
      .then(handle)
      .then((outcome) => send(response, outcome))
      .catch((error: unknown) => {
        // A client that went away is part of the tests; a defect of the double has to be seen.
        if (!response.destroyed && !response.headersSent)
          send(response, { status: 599, body: { message: String(error) } });
      });
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server.close(), "close");
      server.closeAllConnections();
      await closed;
    },
  };
}

async function receive(request: IncomingMessage): Promise<Received> {
  const atMs = performance.now();
  const { pathname: path, searchParams } = new URL(request.url ?? "/", "http://double");
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)]);
  const bytes = await buffer(request);
  return {
    method: request.method ?? "GET",
    path,
    query: Object.fromEntries(searchParams),
    headers: Object.fromEntries(headers),
    bytes,
    body: jsonOf(bytes),
    atMs,
  };
}

function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, outcome: Outcome): void {
  if (outcome === "silent") return;
  if (outcome === "reset") return void response.socket?.destroy();
  const { status, headers, body } = outcome;
  const raw = Buffer.isBuffer(body) ? "application/zip" : typeof body === "string" ? "text/html" : undefined;
  const type = body === undefined ? {} : { "content-type": raw ?? "application/json; charset=utf-8" };
  response.writeHead(status, { ...type, ...headers }).end(raw ? body : JSON.stringify(body));
}
