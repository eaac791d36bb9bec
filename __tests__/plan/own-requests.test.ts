/** Requests as users write them: what is planned from them, and what is refused before anything starts. */
import { describe, expect, it } from "vitest";
import { expandSet } from "../../src/plan/expand.js";
import { loadLibrary } from "../../src/plan/load.js";
import { profileNamed } from "../../src/plan/profile.js";
import type { PlannedRow } from "../../src/plan/types.js";
import { SERVERS, toolFolder } from "../support/scenarios.js";

const TLS = `  secure:
    title: Secure
    distribution: secure
    requires: [secure==1.0]
    interfaces: [asgi]
    command: [secure, --port, "{port}", "{knobs}", "{target}"]
    tls: { args: [--cert, "{cert}", --key, "{key}"], http: [1, 2] }
`;

/** A row on these requests. */
async function rows(requests: string, ...of: readonly string[]): Promise<readonly PlannedRow[]> {
  const servers = SERVERS.replace("apps:\n", `${TLS}apps:\n`) + requests.replaceAll(/^/gm, "  ");
  const set = `title: Mine\ndefaults: { server: fast, interface: asgi }\nrows:\n${of.map((row, i) => `  - { title: r${i}, ${row} }`).join("\n")}\n`;
  const library = await loadLibrary(await toolFolder({ "servers.yml": servers, "mine.yml": set }), undefined);
  const source = library.sets.get("mine");
  if (!source) throw new Error("mine.yml was not read");
  const options = { profile: profileNamed("quick"), cores: 2, launchers: "/l", serverSpecs: new Map(), cwd: "/" };
  return expandSet("mine", source, library, options).rows;
}

async function request(yaml: string) {
  const [row] = await rows(`mine: ${yaml}`, "request: mine");
  return row?.request;
}

describe("a request", () => {
  it("needs nothing but a path", async () => {
    expect(await request("{ path: / }")).toMatchObject({
      method: "GET",
      expect: { status: "learned", body: { kind: "learned" } },
    });
  });
  it("learns the body where the status is given", async () => {
    expect((await request("{ path: /, expect: { status: 404 } }"))?.expect).toEqual({
      status: 404,
      body: { kind: "learned" },
    });
  });
  it("has a query, in which everything is encoded", async () => {
    const made = await request('{ path: /a, query: { q: "x y&z", n: 2, ok: true, of: [a, ü] } }');
    expect(made?.path).toBe("/a?q=x+y%26z&n=2&ok=true&of=a&of=%C3%BC");
  });
  it("sends JSON with its type, unless a header names another", async () => {
    expect(await request("{ method: PUT, path: /, body: { json: { a: [1, null] } } }")).toMatchObject({
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: { kind: "text", text: '{"a":[1,null]}' },
    });
    const typed = await request("{ method: POST, path: /, headers: { Content-Type: text/x }, body: { json: 1 } }");
    expect(typed?.headers).toEqual({ "Content-Type": "text/x" });
  });
  it.each([
    ["{ size: 12 }", { kind: "size", minBytes: 12, maxBytes: 12 }],
    ["{ size: [10, 20] }", { kind: "size", minBytes: 10, maxBytes: 20 }],
    ["{ json: { a: 1 } }", { kind: "json", subset: { a: 1 } }],
    ["{ regex: a+ }", { kind: "regex", pattern: "a+" }],
    ["any", { kind: "any" }],
    ["{ text: a }", { kind: "text", text: "a" }],
    ["{ repeat: x, size: 3 }", { kind: "repeat", character: "x", sizeBytes: 3 }],
  ])("expects a body %s", async (yaml, check) => {
    expect((await request(`{ path: /, expect: { body: ${yaml} } }`))?.expect.body).toEqual(check);
  });

  it.each([
    ["{ path: /a#b }", /request "mine": a path has no fragment/],
    ['{ path: "/a b" }', /request "mine": the path has a space or a control character; write %20/],
    ["{ path: /a?b=1, query: { c: 1 } }", /request "mine": the path has a query already; give one of the two/],
    ["{ path: /, method: HEAD, expect: { body: { text: a } } }", /an answer to HEAD has no body to check/],
    ["{ path: /, method: TRACE }", /requests\.mine\.method: got "TRACE", expected .*"DELETE"/],
    ['{ path: /, expect: { body: { regex: "(" } } }', /requests\.mine\.expect\.body\.regex: .*a regular expression/],
    ["{ path: /, expect: { body: { size: [3, 2] } } }", /requests\.mine\.expect\.body\.size.*the smaller size first/],
    ["{ path: /, expect: { type: json } }", /requests\.mine\.expect\.type: got "json", expected a type such as text/],
    ['{ path: /, headers: { "a b": c } }', /requests\.mine\.headers.*a header's name/],
    ['{ path: /, headers: { a: "b\\nc" } }', /requests\.mine\.headers\.a: .*a header's value in one line/],
  ])("is refused: %s", async (yaml, message) => {
    await expect(request(yaml)).rejects.toThrow(message);
  });
});

const THREE = `home: { path: / }
search: { path: /search, query: { q: x } }
again: { path: / }
post: { method: POST, path: /post, body: { text: a } }`;

describe("several requests in one row", () => {
  it("have weights without a common divisor, and the first one in front", async () => {
    const [row] = await rows(THREE, "requests: { home: 6, search: 2 }");
    expect(row?.request.name).toBe("home");
    expect(row?.mix?.map(({ request: { path }, weight }) => [path, weight])).toEqual([
      ["/", 3],
      ["/search?q=x", 1],
    ]);
  });
  it.each([
    ["requests: { home: 1 }", /rows\[0\]\.requests: .*at least two requests/],
    ["requests: { home: 0, search: 1 }", /rows\[0\]\.requests\.home: got 0, expected 1 or more/],
    ["requests: { home: 1, serch: 1 }", /unknown request "serch"; did you mean "search"\?/],
    ["request: home, requests: { home: 1, search: 1 }", /"request" and "requests" are both given/],
    [
      "requests: { home: 1, post: 1 }",
      /requests "home" and "post" differ in method and body: in one row only path and query may differ/,
    ],
    ["requests: { home: 1, again: 1 }", /requests "home" and "again" have the same path \//],
    ["requests: { home: 1, search: 1 }, generator: wrk", /several requests in one row need the load generator oha/],
  ])("are refused: %s", async (row, message) => {
    await expect(rows(THREE, row)).rejects.toThrow(message);
  });
});

describe("a row's traffic", () => {
  it("has TLS arguments after the knobs, with the files open", async () => {
    const [row, next] = await rows(
      THREE,
      "server: secure, request: home, tls: true",
      "server: secure, request: home, tls: true, http: 2",
    );
    expect(row?.server.command.join(" ")).toBe("secure --port {port} --cert {cert} --key {key} app:app");
    expect([row?.tls, row?.http, next?.http]).toEqual([true, 1, 2]);
  });
  it("has a rate, at which latency is compared too", async () => {
    const [row] = await rows(THREE, "request: home, rate: 250");
    expect(row).toMatchObject({ ratePerSec: 250, latency: true });
  });
  it("has nothing that is not asked for", async () => {
    const [row] = await rows(THREE, "request: home, keep-alive: true, tls: false");
    expect(Object.keys(row ?? {})).toEqual(
      expect.not.arrayContaining(["closes", "tls", "ratePerSec", "mix", "latency"]),
    );
  });
  it.each([
    ["request: home, tls: true", /tls: true: server "fast" has no "tls" in servers\.yml; give its arguments/],
    ["server: secure, request: home, http: 2", /server "secure" does not speak HTTP\/2 without TLS; http: 1/],
    ["request: home, keep-alive: false, http: 2", /keep-alive: false needs HTTP\/1/],
    ["request: home, keep-alive: false, generator: wrk", /keep-alive: false needs the load generator oha/],
    [
      "request: home, generator: websocket",
      /generator websocket needs a request that asks for a websocket, and "home" does not: give it/,
    ],
    ["request: home, http: 1, streams: 4", /streams: 4 needs HTTP\/2/],
    ["request: home, rate: 10, generator: wrk", /rate needs the load generator oha; wrk cannot send by a clock/],
    ["request: home, rate: 0", /rows\[0\]\.rate: got 0, expected 1 or more/],
  ])("is refused: %s", async (row, message) => {
    await expect(rows(THREE, row)).rejects.toThrow(message);
  });
});
