/** A free port on the loopback interface. */
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:net";
import { codeOf, messageOf } from "../../errors.js";
import { ServerStartError } from "../../process/group.js";
import { readEphemeralPorts } from "../machine/ephemeral-ports.js";

export const HOST = "127.0.0.1";

/** Ports that were given before: both sides of a pair start at once, and the faster server would answer for both. */
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

/** Ports below it often belong to known services. */
const LOWEST = 10_000;
/** Fewer ports would be taken too often. */
const RANGE_MIN = 1000;

/**
 * Below the range from which the kernel gives ports to outgoing connections and to whoever wants any port: one of these could take the port
 * between now and the server's start. Where there is no room below, the kernel chooses.
 */
async function anyFreePort(): Promise<number> {
  const end = readEphemeralPorts()?.first ?? 0;
  for (let attempt = 0; end - LOWEST >= RANGE_MIN && attempt < ATTEMPTS; attempt += 1) {
    const port = randomInt(LOWEST, end);
    if ((await listenOnce(port)) === port) return port;
  }
  const port = await listenOnce(0);
  if (typeof port === "number") return port;
  throw new ServerStartError(noPort(port.error));
}

/** @param port 0: the kernel chooses @returns the port, which is free again */
async function listenOnce(port: number): Promise<number | { readonly error: unknown }> {
  const server = createServer();
  server.listen(port, HOST);
  try {
    await once(server, "listening");
  } catch (error) {
    return { error };
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
