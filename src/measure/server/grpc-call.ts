/** One unary gRPC call over cleartext HTTP/2 (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md). */
import http2 from "node:http2";
import { HOST } from "./port.js";

/** Before each message: whether it is compressed (1 byte), and its length (4 bytes). */
const PREFIX_BYTES = 5;
/** Codes by number (google/rpc/code.proto), as clients show them. */
const CODES = [
  ...["OK", "Canceled", "Unknown", "InvalidArgument", "DeadlineExceeded", "NotFound", "AlreadyExists"],
  ...["PermissionDenied", "ResourceExhausted", "FailedPrecondition", "Aborted", "OutOfRange", "Unimplemented"],
  ...["Internal", "Unavailable", "DataLoss", "Unauthenticated"],
];

/** The server answered that the call failed. */
export class GrpcStatusError extends Error {}

export interface GrpcCall {
  readonly port: number;
  /** `/package.Service/Method` */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The request's message, encoded. */
  readonly message: Buffer;
}

/** @returns the answer's message, encoded. @throws GrpcStatusError where the status is not OK */
export async function callGrpc(call: GrpcCall, signal: AbortSignal, limitBytes: number): Promise<Buffer> {
  const session = http2.connect(`http://${HOST}:${call.port}`);
  try {
    return await new Promise<Buffer>((resolve, reject) => {
      session.on("error", reject).on("close", () => reject(new Error("connection closed")));
      signal.addEventListener("abort", () => reject(signal.reason), { once: true });
      const stream = session.request({
        ":method": "POST",
        ":path": call.path,
        "content-type": "application/grpc",
        te: "trailers",
        ...call.headers,
      });
      const pieces: Buffer[] = [];
      let size = 0;
      let status: http2.IncomingHttpHeaders = {};
      const keepStatus = (headers: http2.IncomingHttpHeaders): void => {
        status = { ...status, ...headers };
      };
      // A call that fails at once has its status in the first headers.
      stream.on("response", keepStatus).on("trailers", keepStatus).on("error", reject);
      stream.on("data", (piece: Buffer) => {
        pieces.push(piece);
        size += piece.length;
        if (size > limitBytes) reject(new Error("the answer does not end"));
      });
      // Trailers come after the data; both are there when the stream is closed.
      stream.on("close", () => {
        const problem = problemOf(status);
        if (problem === undefined) resolve(unframed(Buffer.concat(pieces)));
        else reject(new GrpcStatusError(problem));
      });
      stream.end(framed(call.message));
    });
  } finally {
    session.destroy();
  }
}

function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** The first message. An answer of another length is returned as it is, so that it differs from the right one. */
function unframed(answer: Buffer): Buffer {
  const whole = answer.length >= PREFIX_BYTES && answer.readUInt32BE(1) === answer.length - PREFIX_BYTES;
  return whole ? answer.subarray(PREFIX_BYTES) : answer;
}

function problemOf(headers: http2.IncomingHttpHeaders): string | undefined {
  const code = headers["grpc-status"];
  if (code === "0") return undefined;
  if (code === undefined) return `no gRPC answer: HTTP status ${headers[":status"] ?? "none"}`;
  const message = String(headers["grpc-message"] ?? "");
  return `gRPC status ${CODES[Number(code)] ?? code}${message === "" ? "" : `: ${decoded(message)}`}`;
}

/** The message is percent-encoded. */
function decoded(message: string): string {
  try {
    return decodeURIComponent(message);
  } catch {
    return message;
  }
}
