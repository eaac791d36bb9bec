import { describe, expect, it } from "vitest";
import { difference, type Expected } from "../../../src/measure/server/expected.js";
import type { Answer } from "../../../src/measure/server/probe.js";

function answer(status: number, body: string | Buffer, more: Partial<Answer> = {}): Answer {
  return { kind: "answer", status, body: Buffer.from(body), ...more };
}
const bytes = (text: string): Expected => ({ status: 200, body: { kind: "bytes", bytes: Buffer.from(text) } });
const json = (subset: unknown): Expected => ({ status: 200, body: { kind: "json", subset } });
const HELLO = bytes("hello");

describe("difference", () => {
  it("is none for a right answer", () => {
    expect(difference(answer(200, "hello"), HELLO)).toBeUndefined();
    expect(difference(answer(204, ""), { status: undefined, body: { kind: "any" } })).toBeUndefined();
    expect(difference(answer(101, ""), { status: undefined, body: { kind: "any" } })).toBeUndefined();
    const size = { least: 5, most: 7 };
    expect(difference(answer(200, "1234567"), { status: 200, body: { kind: "size", size } })).toBeUndefined();
    expect(difference(answer(200, "a 12"), { status: 200, body: { kind: "regex", pattern: /\d/ } })).toBeUndefined();
    expect(difference(answer(200, '{"a":[{"b":1,"c":2}],"d":3}'), json({ a: [{ b: 1 }] }))).toBeUndefined();
  });

  it.each([
    [answer(503, "hello"), HELLO, 'expected status 200, 5 bytes "hello"; got status 503, 5 bytes "hello"'],
    [
      answer(200, "help!"),
      HELLO,
      'expected status 200, 5 bytes "hello"; got status 200, 5 bytes "help!" (they differ at byte 3)',
    ],
    [
      answer(200, "hell"),
      HELLO,
      'expected status 200, 5 bytes "hello"; got status 200, 4 bytes "hell" (equal up to byte 4)',
    ],
    [
      answer(200, "12345678"),
      { status: 200, body: { kind: "size", size: { least: 1000, most: 1400 } } },
      'expected status 200, 1,000 to 1,400 bytes; got status 200, 8 bytes "12345678"',
    ],
    [
      answer(200, '{"user":{"name":"b"}}', { type: "application/json" }),
      json({ user: { name: "a" } }),
      'expected status 200, JSON with {"user":{"name":"a"}}; got status 200, application/json, 21 bytes "{\\"user\\":{\\"name\\":\\"b\\"}}" (they differ at $.user.name)',
    ],
    [
      answer(200, "<html>"),
      json({}),
      'expected status 200, JSON with {}; got status 200, 6 bytes "<html>" (the body is not JSON)',
    ],
    [
      answer(200, "abc"),
      { status: 200, body: { kind: "regex", pattern: /\d+/u } },
      'expected status 200, a body that matches /\\d+/u; got status 200, 3 bytes "abc" (the pattern does not match)',
    ],
    [
      answer(200, "hello", { type: "text/html" }),
      { ...HELLO, type: "application/json" },
      'expected status 200, application/json, 5 bytes "hello"; got status 200, text/html, 5 bytes "hello"',
    ],
    [
      answer(302, "", { location: "/accounts/login/?next=/" }),
      { status: undefined, body: { kind: "any" } },
      "expected status 2xx; got status 302 to /accounts/login/?next=/, 0 bytes. This looks like a redirect to a login page: choose a route that needs no session, or send one with the request's headers",
    ],
    [
      answer(301, "", { location: "/home/" }),
      HELLO,
      'expected status 200, 5 bytes "hello"; got status 301 to /home/, 0 bytes. This is a redirect: give the path that it leads to, or expect its status',
    ],
    [
      answer(301, "", { location: "https://127.0.0.1:8000/home/" }),
      HELLO,
      'expected status 200, 5 bytes "hello"; got status 301 to https://127.0.0.1:8000/home/, 0 bytes. The app redirects to https: send X-Forwarded-Proto: https with the request\'s headers to an app that trusts it (Django: SECURE_PROXY_SSL_HEADER), or turn the redirect off (SECURE_SSL_REDIRECT)',
    ],
    [
      answer(429, ""),
      HELLO,
      'expected status 200, 5 bytes "hello"; got status 429, 0 bytes. The app limits its requests: turn its rate limit off for the measurement',
    ],
    [
      answer(200, Buffer.from([1, 2, 3])),
      { status: 200, body: { kind: "bytes", bytes: Buffer.from([1, 2, 4]) } },
      "expected status 200, 3 bytes 0x010204; got status 200, 3 bytes 0x010203 (they differ at byte 2)",
    ],
    [{ kind: "none", why: "connection refused" }, HELLO, "connection refused"],
  ] as const)("shows both sides of %j", (seen, expected, words) => {
    expect(difference(seen, expected)?.words).toBe(words);
  });

  it("shows the part of long bodies that differs", () => {
    const words =
      difference(answer(200, `${"a".repeat(5000)}Z${"a".repeat(99)}`), bytes("a".repeat(5100)))?.words ?? "";
    expect(words).toContain(`5,100 bytes "...${"a".repeat(20)}Z${"a".repeat(39)}..." (they differ at byte 5000)`);
    expect(words.length).toBeLessThan(300);
  });

  it("takes parameters of a type into account only where they are expected", () => {
    const seen = answer(200, "hello", { type: "Text/Plain; charset=UTF-8" });
    expect(difference(seen, { ...HELLO, type: "text/plain" })).toBeUndefined();
    expect(difference(seen, { ...HELLO, type: "text/plain;charset=utf-8" })).toBeUndefined();
    expect(difference(seen, { ...HELLO, type: "text/plain; charset=latin-1" })?.kind).toBe("200 type");
  });
});
