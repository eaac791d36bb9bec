/** Connections that are held open beside a load and send nothing: what they cost the server. */
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { allEnded } from "../all-ended.js";
import { messageOf } from "../errors.js";
import { startLimit } from "../process/limit.js";
import { HOST } from "./server/port.js";

/**
 * At a time, and the rest after that: a server's queue of connections that it has not accepted yet is often 100 long, and the kernel
 * connects before the server accepts. Where the queue is full, a connection is dropped and tried again after a second.
 */
const CONNECTING = 32;
const REST_MS = 10;
const CONNECT_TIMEOUT_MS = 5000;

export class IdleConnections implements Disposable {
  readonly #sockets: readonly Socket[];

  private constructor(sockets: readonly Socket[]) {
    this.#sockets = sockets;
  }

  /** @throws Error that names how many connections could be made; none is open then */
  static async open(count: number, port: number, signal: AbortSignal): Promise<IdleConnections> {
    const sockets: Socket[] = [];
    const made = new IdleConnections(sockets);
    try {
      while (sockets.length < count) {
        signal.throwIfAborted();
        const some = Math.min(CONNECTING, count - sockets.length);
        const connecting = Array.from({ length: some }, async () => {
          sockets.push(await connected(port));
        });
        await allEnded(connecting);
        await sleep(REST_MS);
      }
      return made;
    } catch (error) {
      made[Symbol.dispose]();
      signal.throwIfAborted();
      throw new Error(`only ${sockets.length} of ${count} idle connections could be made: ${messageOf(error)}`);
    }
  }

  /** Those that the server has not closed. */
  get open(): number {
    return this.#sockets.filter((socket) => !socket.destroyed && socket.readyState === "open").length;
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}

function connected(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: HOST, port });
    const endLimit = startLimit(CONNECT_TIMEOUT_MS, () => socket.destroy(new Error("no connection within 5 s")));
    socket.once("connect", () => {
      endLimit();
      // Read what comes, so that an end is seen.
      socket.resume();
      resolve(socket);
    });
    // Stays: an error later on is a closed connection.
    socket.on("error", (error) => {
      endLimit();
      reject(error);
    });
  });
}
