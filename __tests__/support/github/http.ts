/** The bare HTTP under the double: a server on loopback, bodies read whole, answers written whole. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly method: string;
  /** Still encoded, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Buffer;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A Buffer is sent as it is, text as HTML, everything else as JSON; undefined: no body. */
  readonly body?: unknown;
}

/** "silent" never answers, "reset" cuts the connection. */
export type Outcome = Reply | "silent" | "reset";

export interface Listening {
  readonly url: string;
  close(): Promise<void>;
}

export async function listen(handle: (received: Received) => Promise<Outcome>): Promise<Listening> {
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
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => close(server),
  };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

async function receive(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk));
  const url = new URL(request.url ?? "/", "http://double");
  return {
    method: request.method ?? "GET",
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(Object.entries(request.headers).map(([name, value]) => [name, String(value)])),
    bytes: Buffer.concat(chunks),
  };
}

function send(response: ServerResponse, outcome: Outcome): void {
  if (outcome === "silent") return;
  if (outcome === "reset") {
    response.socket?.destroy();
    return;
  }
  const { status, headers = {}, body } = outcome;
  if (body === undefined) response.writeHead(status, headers).end();
  else if (Buffer.isBuffer(body))
    response.writeHead(status, { "content-type": "application/zip", ...headers }).end(body);
  else if (typeof body === "string") response.writeHead(status, { "content-type": "text/html", ...headers }).end(body);
  else {
    const type = { "content-type": "application/json; charset=utf-8" };
    response.writeHead(status, { ...type, ...headers }).end(JSON.stringify(body));
  }
}
