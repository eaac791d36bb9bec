/** One HTTP request and everything of its answer that an app decides: status, type, length, body. */
import http from "node:http";
import http2 from "node:http2";
import { HOST } from "../../src/measure/server/port.js";
import type { PlannedRequest } from "../../src/plan/types.js";

export interface Answer {
  readonly status: number;
  readonly type: string | undefined;
  /** The header; undefined where the server sent chunks of unknown number. */
  readonly length: string | undefined;
  readonly body: Buffer;
}

/** Generous: a CPU-bound request on a machine that is busy otherwise. */
const TIMEOUT_MS = 20_000;

export function ask(port: number, version: 1 | 2, request: PlannedRequest, body: Buffer | undefined): Promise<Answer> {
  return version === 2 ? overHttp2(port, request, body) : overHttp1(port, request, body);
}

async function overHttp1(port: number, { method, path, headers }: PlannedRequest, body?: Buffer): Promise<Answer> {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = http.request({ host: HOST, port, method, path, headers, agent: false, signal }, resolve);
    request.on("error", reject).end(body);
  });
  return {
    status: response.statusCode ?? 0,
    type: response.headers["content-type"],
    length: response.headers["content-length"],
    body: await whole(response),
  };
}

async function overHttp2(port: number, { method, path, headers }: PlannedRequest, body?: Buffer): Promise<Answer> {
  const session = http2.connect(`http://${HOST}:${port}`);
  try {
    return await new Promise<Answer>((resolve, reject) => {
      session.on("error", reject).on("close", () => reject(new Error("connection closed")));
      AbortSignal.timeout(TIMEOUT_MS).addEventListener("abort", () => reject(new Error(`no answer to ${path}`)));
      const length = body === undefined ? {} : { "content-length": String(body.length) };
      const stream = session.request({ ":method": method, ":path": path, ...headers, ...length });
      let head: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {};
      stream.on("error", reject).on("response", (received) => {
        head = received;
      });
      whole(stream).then(
        (received) =>
          resolve({
            status: Number(head[":status"]),
            type: head["content-type"],
            length: head["content-length"],
            body: received,
          }),
        reject,
      );
      stream.end(body);
    });
  } finally {
    session.destroy();
  }
}

async function whole(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of stream) pieces.push(piece);
  return Buffer.concat(pieces);
}
