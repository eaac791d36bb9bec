import { expect, it } from "vitest";
import { readEphemeralPorts } from "../../../src/measure/machine/ephemeral-ports.js";
import { freePort } from "../../../src/measure/server/port.js";

it("gives no port twice within many starts", async () => {
  const ports: number[] = [];
  // Chance alone repeats a port among so many nearly always.
  for (let i = 0; i < 900; i += 1) ports.push(await freePort());
  expect(new Set(ports).size).toBe(ports.length);
});

const { first = 0 } = readEphemeralPorts() ?? {};

it.skipIf(first < 11_000)(
  "gives no port that the kernel may give to another process before the server starts",
  async () => {
    for (let i = 0; i < 100; i += 1) {
      const port = await freePort();
      expect(port).toBeGreaterThanOrEqual(10_000);
      expect(port).toBeLessThan(first);
    }
  },
);
