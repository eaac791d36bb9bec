/** A free port on the loopback interface, from the kernel. */
import { once } from "node:events";
import { createServer } from "node:net";
import { codeOf, messageOf } from "../../errors.js";
import { ServerStartError } from "../../process/group.js";

export const HOST = "127.0.0.1";

/**
 * Ports that were given before. The kernel can give a port twice before its first server listens on it, and both sides of a
 * pair start at once: the faster server would then answer for both.
 */
const given: number[] = [];
const REMEMBERED = 1000;
/** A machine can have a small range of ports. */
const ATTEMPTS = 20;

/**
 * The port is free when this returns, and it is none of those that were given last. Another process can still take it before
 * the server does.
 * @throws ServerStartError where none is free
 */
export async function freePort(): Promise<number> {
  let port = await anyFreePort();
  for (let attempt = 1; given.includes(port) && attempt < ATTEMPTS; attempt += 1) port = await anyFreePort();
  given.push(port);
  if (given.length > REMEMBERED) given.shift();
  return port;
}

async function anyFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, HOST);
  try {
    await once(server, "listening");
  } catch (error) {
    throw new ServerStartError(noPort(error));
  }
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("the kernel gave no port");
  return address.port;
}

/** Only EADDRINUSE means that all ports are held: other errors, such as too many open files, have other remedies. */
export function noPort(error: unknown): string {
  if (codeOf(error) !== "EADDRINUSE") return `cannot listen on ${HOST}: ${messageOf(error)}`;
  return `no port is free on ${HOST} (${messageOf(error)}): closed connections hold their port for a minute; wait, or widen net.ipv4.ip_local_port_range`;
}

/** Whether a server's log reports that its port was taken: Python, Go, Rust, C and Node use these phrases. */
export function saysAddressInUse(log: string): boolean {
  return /address (is )?already in use|address in use|EADDRINUSE|(errno|os error) 98\b/i.test(log);
}

/** A port that a log names in the line that says that it was taken, where it is not the given one. */
export function otherPortIn(log: string, given: number): number | undefined {
  const lines = log.split("\n").filter(saysAddressInUse);
  const named = lines.flatMap((line) =>
    [...line.matchAll(/(?:[\d\])\w]:|port\s+|',\s*)(\d{2,5})\b/gi)].map(([, port]) => Number(port)),
  );
  return named.includes(given) ? undefined : named.find((port) => port <= 65_535);
}
