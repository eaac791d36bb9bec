/**
 * Bytes that a server sends after the end of its answer, such as the body of a 204. No client reads them: it closes the connection, so
 * that a load of kept connections becomes one of new connections.
 */
import type http from "node:http";
import type { Socket } from "node:net";

/** A longer head is not looked into. */
const KEPT_BYTES = 64 * 1024;
/** They may come in a packet of their own. */
const QUIET_MS = 50;

/** What a server has sent for a request. */
export class Received {
  #kept = Buffer.alloc(0);
  #bytes = 0;
  readonly #socket: Promise<Socket>;

  constructor(request: http.ClientRequest) {
    this.#socket = new Promise((resolve) => request.once("socket", resolve));
    request.once("socket", (socket) =>
      socket.on("data", (piece: Buffer) => {
        this.#bytes += piece.length;
        if (this.#kept.length < KEPT_BYTES) this.#kept = Buffer.concat([this.#kept, piece]);
      }),
    );
  }

  /** Waits for bytes after an answer without a body. Call it before the answer is read: at its end, the connection is closed. */
  async settle(answer: http.IncomingMessage): Promise<void> {
    if (lengthOf(answer) !== 0 || this.#excessBytes(answer) !== 0) return;
    const socket = await this.#socket;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, QUIET_MS);
      for (const event of ["data", "end", "close"])
        socket.once(event, () => {
          clearTimeout(timer);
          resolve();
        });
    });
  }

  /** @returns in words; undefined: nothing follows the answer, or its end is not known */
  excess(answer: http.IncomingMessage): string | undefined {
    const bytes = this.#excessBytes(answer);
    if (bytes === undefined || bytes <= 0) return undefined;
    const why = whyBodiless(answer);
    const follow = bytes === 1 ? "1 byte follows" : `${bytes.toLocaleString("en-US")} bytes follow`;
    return `${follow} it, ${why === undefined ? "beyond its Content-Length" : `although ${why} has no body`}`;
  }

  #excessBytes(answer: http.IncomingMessage): number | undefined {
    const [head, length] = [headBytes(this.#kept), lengthOf(answer)];
    return head === undefined || length === undefined ? undefined : this.#bytes - head - length;
  }
}

/** Of the body; undefined where only the body itself says. */
function lengthOf(answer: http.IncomingMessage): number | undefined {
  if (whyBodiless(answer) !== undefined) return 0;
  const { "content-length": length, "transfer-encoding": coding } = answer.headers;
  return length === undefined || coding !== undefined ? undefined : Number(length);
}

/** RFC 9112, section 6.3. */
function whyBodiless({ statusCode, req }: http.IncomingMessage & { readonly req?: http.ClientRequest }) {
  if (req?.method === "HEAD") return "an answer to HEAD";
  return statusCode === 204 || statusCode === 304 ? `status ${statusCode}` : undefined;
}

/** With those of interim answers (1xx) before it. */
function headBytes(sent: Buffer): number | undefined {
  for (let from = 0; ; ) {
    const end = sent.indexOf("\r\n\r\n", from);
    if (end < 0) return undefined;
    const isInterim = /^HTTP\/1\.1 1/.test(sent.toString("latin1", from, from + 10));
    from = end + 4;
    if (!isInterim) return from;
  }
}
