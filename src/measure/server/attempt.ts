/** Sends one request with Node's own clients: the answer, or why there is none. */

import http from "node:http";
import http2 from "node:http2";
import https from "node:https";
import tls from "node:tls";
import { codeOf, messageOf } from "../../errors.js";
import { type ReasonKind, reason } from "../../messages/reasons.js";
import { asksForWebsocket } from "../../plan/request.js";
import { startLimit } from "../../process/limit.js";
import { LinkedAbort } from "../../process/linked-abort.js";
import { Received } from "./excess.js";
import { callGrpc, GrpcStatusError } from "./grpc-call.js";
import { HOST } from "./port.js";
import type { Answer, Attempt, Probe } from "./probe.js";
import { shakeHands } from "./upgrade.js";

/** More than any body under test; a server that streams without end is cut off here. */
const BODY_LIMIT_BYTES = 64 * 1024 * 1024;

/** What Node's clients report of a server that speaks another protocol. The first one counts. */
const MISHAPS: readonly (readonly [RegExp, ReasonKind])[] = [
  [/^HPE_HEADER_OVERFLOW/, "long-header"],
  [/^HPE_INVALID_CONSTANT/, "other-protocol"],
  [/^HPE_/, "broken-answer"],
  [/wrong version number|packet length too long/, "tls-to-plain"],
  [/no application protocol/, "no-http2-tls"],
  [/^ERR_HTTP2_ERROR.*Protocol error/, "no-http2"],
  [/^ERR_TLS_CERT|SELF_SIGNED|UNABLE_TO_|^CERT_|altnames|certificate/i, "other-certificate"],
];

function explain(error: unknown): Omit<Extract<Attempt, { kind: "none" }>, "kind"> {
  if (error instanceof GrpcStatusError) return { why: error.message, refused: true };
  const code = codeOf(error) ?? "";
  // A stream of HTTP/2 that never began has the reason in brackets.
  const said = /\(caused by: ([\s\S]*)\)$/.exec(messageOf(error))?.[1]?.trim() ?? messageOf(error);
  if (code === "ENOENT") return { why: "its unix socket does not exist", how: "unconnected" };
  if (code === "ECONNREFUSED" || /ECONNREFUSED/.test(said)) return { why: "connection refused", how: "unconnected" };
  const mishap = MISHAPS.find(([sign]) => sign.test(`${code} ${said}`))?.[1];
  if (mishap !== undefined) return { why: reason(mishap, { said }), how: "mishap" };
  if (code === "ECONNRESET" || /disconnected before secure TLS/.test(said)) return { why: "connection reset" };
  return { why: said };
}

/** Whether a port speaks TLS, with whatever certificate. */
export async function speaksTls(port: number, timeoutMs: number): Promise<boolean> {
  const socket = tls.connect({ host: HOST, port, rejectUnauthorized: false });
  return await new Promise<boolean>((resolve) => {
    socket.setTimeout(timeoutMs, () => resolve(false));
    socket.once("secureConnect", () => resolve(true)).once("error", () => resolve(false));
  }).finally(() => socket.destroy());
}

/** Sends the request on a new connection. Never rejects. */
export async function attempt(probe: Probe, timeoutMs: number, signal: AbortSignal): Promise<Attempt> {
  using either = new LinkedAbort(signal);
  const late = new Error(`no answer within ${Math.round(timeoutMs)} ms`);
  const endLimit = startLimit(Math.ceil(timeoutMs), () => either.abort(late));
  try {
    // A listener that is added to an aborted signal is never called.
    either.signal.throwIfAborted();
    if (asksForWebsocket(probe)) return await shakeHands(probe, either.signal);
    if (probe.grpc) return await overGrpc(probe, either.signal);
    return probe.http === 2 ? await overHttp2(probe, either.signal) : await overHttp1(probe, either.signal);
  } catch (error) {
    if (either.signal.reason === late) return { kind: "none", why: late.message, how: "late" };
    return { kind: "none", ...explain(error) };
  } finally {
    endLimit();
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
  const { port, method, path, authority, socket } = probe;
  const at = socket === undefined ? { host: HOST, port } : { socketPath: socket };
  const options = { ...at, method, path, headers: headersOf(probe), agent: false, signal } as const;
  const request = authority === undefined ? http.request(options) : https.request({ ...options, ca: authority });
  const received = new Received(request);
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    request.on("response", resolve).on("error", reject).end(probe.body);
  });
  await received.settle(response);
  const answer = answerOf(response.statusCode ?? 0, response.headers, await collect(response));
  return { ...answer, excess: received.excess(response) };
}

/** As load generators ask, unless the request says otherwise: an app may answer by it. */
function headersOf({ headers, body }: Probe): Record<string, string> {
  const named = new Set(Object.keys(headers).map((name) => name.toLowerCase()));
  return {
    ...(named.has("accept") ? {} : { accept: "*/*" }),
    ...headers,
    ...(body === undefined || named.has("content-length") ? {} : { "content-length": String(body.length) }),
  };
}

function answerOf(status: number, headers: http.IncomingHttpHeaders, body: Buffer): Answer {
  return {
    kind: "answer",
    status,
    body,
    type: headers["content-type"],
    length: headers["content-length"],
    location: headers.location,
    retryAfter: headers["retry-after"],
  };
}

async function overHttp2(probe: Probe, signal: AbortSignal): Promise<Attempt> {
  const { port, authority } = probe;
  const session =
    authority === undefined
      ? http2.connect(`http://${HOST}:${port}`)
      : http2.connect(`https://${HOST}:${port}`, { ca: authority });
  try {
    return await new Promise<Attempt>((resolve, reject) => {
      session.on("error", reject).on("close", () => reject(new Error("connection closed")));
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      const headers = { ":method": probe.method, ":path": probe.path, ...headersOf(probe) };
      const stream = session.request(headers, { endStream: probe.body === undefined });
      let answered: http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader = {};
      stream.on("response", (answer) => {
        answered = answer;
      });
      stream.on("error", reject);
      collect(stream).then((body) => resolve(answerOf(Number(answered[":status"]), answered, body)), reject);
      if (probe.body !== undefined) stream.end(probe.body);
    });
  } finally {
    session.destroy();
  }
}
