/** Sends one request with Node's own clients: the answer, or why there is none. */
import http from "node:http";
import http2 from "node:http2";
import { callGrpc } from "./grpc-call.js";
import { HOST } from "./port.js";
import type { Attempt, Probe } from "./probe.js";
import { asksForWebsocket, shakeHands } from "./upgrade.js";

/** More than any body under test; a server that streams without end is cut off here. */
const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

function explain(error: unknown): string {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (code === "ECONNREFUSED") return "connection refused";
  if (code === "ECONNRESET") return "connection reset";
  return error instanceof Error ? error.message : String(error);
}

/** Sends the request on a new connection. Never rejects. */
export async function attempt(probe: Probe, timeoutMs: number, signal: AbortSignal): Promise<Attempt> {
  const timeout = AbortSignal.timeout(Math.ceil(timeoutMs));
  const either = AbortSignal.any([timeout, signal]);
  try {
    if (asksForWebsocket(probe)) return await shakeHands(probe, either);
    if (probe.grpc) return await overGrpc(probe, either);
    return probe.http === 2 ? await overHttp2(probe, either) : await overHttp1(probe, either);
  } catch (error) {
    if (timeout.aborted) return { kind: "none", why: `no answer within ${Math.round(timeoutMs)} ms` };
    return { kind: "none", why: explain(error) };
  }
}

async function collect(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream) {
    pieces.push(piece);
    size += piece.length;
    if (size > BODY_LIMIT_BYTES) throw new Error("the body does not end");
  }
  return Buffer.concat(pieces);
}

/** A call that is OK counts as 200. */
async function overGrpc({ port, path, headers, body }: Probe, signal: AbortSignal): Promise<Attempt> {
  const message = body ?? Buffer.alloc(0);
  return {
    kind: "answer",
    status: 200,
    body: await callGrpc({ port, path, headers, message }, signal, BODY_LIMIT_BYTES),
  };
}

async function overHttp1(probe: Probe, signal: AbortSignal): Promise<Attempt> {
  const { port, method, path, headers } = probe;
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const request = http.request({ host: HOST, port, method, path, headers, agent: false, signal }, resolve);
    request.on("error", reject).end(probe.body);
  });
  return { kind: "answer", status: response.statusCode ?? 0, body: await collect(response) };
}

async function overHttp2(probe: Probe, signal: AbortSignal): Promise<Attempt> {
  const session = http2.connect(`http://${HOST}:${probe.port}`);
  try {
    return await new Promise<Attempt>((resolve, reject) => {
      session.on("error", reject).on("close", () => reject(new Error("connection closed")));
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      const lengths = probe.body === undefined ? {} : { "content-length": String(probe.body.length) };
      const headers = { ":method": probe.method, ":path": probe.path, ...probe.headers, ...lengths };
      const stream = session.request(headers, { endStream: probe.body === undefined });
      let status = 0;
      stream.on("response", (answer) => {
        status = Number(answer[":status"]);
      });
      stream.on("error", reject);
      collect(stream).then((body) => resolve({ kind: "answer", status, body }), reject);
      if (probe.body !== undefined) stream.end(probe.body);
    });
  } finally {
    session.destroy();
  }
}
