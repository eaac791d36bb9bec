/** Idle connections to a real listener: held, counted, and given up as a whole where one cannot be made. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";
import { afterEach, expect, it } from "vitest";
import { IdleConnections } from "../../src/measure/idle-connections.js";
import { freePort, HOST } from "../../src/measure/server/port.js";

const signal = new AbortController().signal;
const accepted: Socket[] = [];
let server: Server | undefined;
afterEach(() => {
  for (const socket of accepted.splice(0)) socket.destroy();
  server?.close();
});

async function listener(): Promise<number> {
  server = createServer((socket) => accepted.push(socket.on("error", () => {})));
  server.listen(0, HOST);
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

it("holds them open until it is disposed of, and counts those that the server has not closed", async () => {
  const port = await listener();
  const idle = await IdleConnections.open(150, port, signal);
  await expect.poll(() => accepted.length).toBe(150);
  expect(idle.open).toBe(150);
  for (const socket of accepted.slice(0, 20)) socket.end();
  await expect.poll(() => idle.open).toBe(130);
  idle[Symbol.dispose]();
  expect(idle.open).toBe(0);
  await expect.poll(() => accepted.every(({ destroyed, readableEnded }) => destroyed || readableEnded)).toBe(true);
});

it("leaves the server time to accept, so that its queue never drops one", async () => {
  // The queue of asyncio's servers; each connection that does not fit costs a second.
  const asyncio = `
import asyncio

async def main():
    server = await asyncio.start_server(lambda reader, writer: None, "${HOST}", 0, backlog=100)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())`;
  const child = spawn("python3", ["-c", asyncio], { stdio: ["ignore", "pipe", "ignore"] });
  try {
    const [port] = (await once(child.stdout, "data")) as [Buffer];
    const startedAt = performance.now();
    using idle = await IdleConnections.open(2000, Number(port), signal);
    expect(idle.open).toBe(2000);
    expect(performance.now() - startedAt).toBeLessThan(6000);
  } finally {
    child.kill();
  }
}, 60_000);

it("names how many could be made where the server takes no more", async () => {
  const port = await freePort();
  await expect(IdleConnections.open(100, port, signal)).rejects.toThrow(
    /^only 0 of 100 idle connections could be made: connect ECONNREFUSED/,
  );
});

it("stops with the run", async () => {
  const port = await listener();
  await expect(IdleConnections.open(10, port, AbortSignal.abort(new Error("interrupted")))).rejects.toThrow(
    "interrupted",
  );
});
