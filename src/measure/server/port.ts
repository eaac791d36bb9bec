/** A free port on the loopback interface, from the kernel. */
import { once } from "node:events";
import { createServer } from "node:net";

export const HOST = "127.0.0.1";

/** The port is free when this returns; another process can still take it before the server does. */
export async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, HOST);
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("the kernel gave no port");
  return address.port;
}

/** Whether a server's log reports that its port was taken: Python, Go, Rust, C and Node use these phrases. */
export function saysAddressInUse(log: string): boolean {
  return /address (is )?already in use|address in use|EADDRINUSE|(errno|os error) 98\b/i.test(log);
}
