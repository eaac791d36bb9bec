import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { attempt } from "../../../src/measure/server/attempt.js";
import { makeCertificate } from "../../../src/measure/server/certificate.js";

it("is a certificate for the loopback address, signed by its own authority", () => {
  const { authority, cert } = makeCertificate();
  const [ca, leaf] = [new X509Certificate(authority), new X509Certificate(cert)];
  expect(leaf.verify(ca.publicKey)).toBe(true);
  expect(leaf.checkIssued(ca)).toBe(true);
  expect([ca.ca, leaf.ca]).toEqual([true, false]);
  expect(leaf.subjectAltName).toBe("IP Address:127.0.0.1, DNS:localhost");
  expect(new Date(leaf.validTo).getTime() - Date.now()).toBeGreaterThan(29 * 24 * 3600 * 1000);
});

it("is accepted by a client that knows its authority, and by no other", async () => {
  const { authority, cert, key } = makeCertificate();
  const server = createServer({ cert, key }, (_, response) => response.end("hello"));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const probe = { port, method: "GET", path: "/", headers: {}, body: undefined, http: 1 as const };
  try {
    const { signal } = new AbortController();
    expect(await attempt({ ...probe, authority }, 2000, signal)).toMatchObject({
      status: 200,
      body: Buffer.from("hello"),
    });
    const other = await attempt({ ...probe, authority: makeCertificate().authority }, 2000, signal);
    expect(other).toMatchObject({ kind: "none" });
  } finally {
    server.close();
  }
});
