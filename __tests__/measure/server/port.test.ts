import { expect, it } from "vitest";
import { freePort } from "../../../src/measure/server/port.js";

it("gives no port twice within many starts", async () => {
  const ports: number[] = [];
  // The kernel alone repeats a port among so many nearly always: it draws from some 14,000.
  for (let i = 0; i < 900; i += 1) ports.push(await freePort());
  expect(new Set(ports).size).toBe(ports.length);
});
