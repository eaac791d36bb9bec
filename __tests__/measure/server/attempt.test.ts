import { createServer } from "node:net";
import { expect, it } from "vitest";
import { attempt } from "../../../src/measure/server/attempt.js";
import { HOST } from "../../../src/measure/server/port.js";

/** Accepts connections and answers nothing. */
async function withSilentServer<T>(use: (port: number) => Promise<T>): Promise<T> {
  const server = createServer(() => {}).listen(0, HOST);
  await new Promise((resolve) => server.once("listening", resolve));
  const address = server.address();
  try {
    return await use(typeof address === "object" && address ? address.port : 0);
  } finally {
    server.close();
  }
}

it.each([{ http: 1 }, { http: 2 }, { http: 2, grpc: true }] as const)(
  "does not wait for a silent server in a run that was aborted before: %o",
  { timeout: 5000 },
  async (kind) => {
    const probe = { method: "GET", path: "/", headers: {}, body: undefined, ...kind };
    const seen = await withSilentServer((port) =>
      attempt({ ...probe, port }, 60_000, AbortSignal.abort(new Error("interrupted"))),
    );
    expect(seen).toMatchObject({ kind: "none" });
  },
);
