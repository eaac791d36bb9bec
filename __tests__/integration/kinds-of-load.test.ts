/**
 * Real servers under every kind of load that the built-in sets have: TLS with a handshake for each request, idle connections,
 * a share of the maximum, streams, uploads, unix sockets, starts. Each has its figures.
 */
import { join } from "node:path";
import { expect, it } from "vitest";
import { readResults } from "../../src/results/read.js";
import { tempFolder } from "../support/cli.js";
import { NOTHING_PLANTED, writeKinds } from "../support/kinds.js";
import { runIn } from "../support/own-set.js";

const TIMEOUT_MS = 240_000;

it("every kind has its figures", { timeout: TIMEOUT_MS }, async () => {
  const temp = tempFolder();
  const head = writeKinds(temp, "head", NOTHING_PLANTED);
  const args = ["kinds", "--scenarios", join(head, "bench"), "--profile", "quick"];
  const { code, output, errors } = await runIn(head, join(temp, "out"), ...args);
  expect(code, output + errors).toBe(0);
  const { cases } = await readResults(join(temp, "out/results.json"));
  const summaries = new Map(
    cases.map((one) => [one.title, one.state === "completed" ? one.summary : { failed: one.state, log: output }]),
  );
  expect(cases.map(({ state }) => state)).toEqual(cases.map(() => "completed"));
  expect(summaries.get("idle")).toMatchObject({ idle: { open: 200, kibPerConnection: expect.any(Number) } });
  expect(summaries.get("start")).toMatchObject({
    startup: { seconds: expect.any(Number), memoryMiB: expect.any(Number) },
  });
  expect(summaries.get("half")).toMatchObject({ latencyMs: { p999: expect.any(Number) } });
  expect(summaries.get("pieces")).toMatchObject({
    firstByteMs: expect.any(Number),
    bodyBytesPerSec: expect.any(Number),
  });
  const commands = new Map(cases.map((one) => [one.title, one.generatorCommand?.join(" ")]));
  expect(commands.get("socket")).toContain("--unix-socket {temp}/server.sock");
  expect(commands.get("handshakes")).toContain("--disable-keepalive");
  expect(commands.get("half")).toMatch(/ -q \d/);
  expect(cases.flatMap(({ title, rateShare }) => (rateShare === undefined ? [] : [[title, rateShare]]))).toEqual([
    ["half", 0.5],
  ]);
  const upload = cases.find(({ title }) => title === "upload");
  const perRequest =
    upload?.state === "completed" && (upload.summary.bodyBytesPerSec ?? 0) / upload.summary.requestsPerSec;
  expect(perRequest).toBeCloseTo(1_000_007);
});
