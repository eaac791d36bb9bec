/** A user's requests through the real command line, on servers of servers.yml: nothing given, several at once, TLS, a rate, closed connections. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { freePort } from "../../src/measure/server/port.js";
import { readResults } from "../../src/results/read.js";
import { runIn } from "../support/own-set.js";
import { sideFolders } from "../support/side-folders.js";

/** Environments are installed, and rows take a few seconds. */
const TIMEOUT_MS = 300_000;

const { path, write } = sideFolders();

/** @param items of the list at /items */
const asgi = (items: number) => `import json, secrets, time

async def app(scope, receive, send):
    path, status, kind, headers = scope["path"], 200, b"application/json", []
    sent = b""
    more = scope["method"] == "POST"
    while more:
        event = await receive()
        sent += event.get("body", b"")
        more = event.get("more_body", False)
    if path == "/items":
        body = json.dumps([{"id": i} for i in range(${items})])
    elif path == "/search":
        body = json.dumps({"query": scope["query_string"].decode(), "sent": sent.decode()})
    elif path == "/form":
        body, kind = "<input name=csrf value=%s> %r" % (secrets.token_hex(16), time.time()), b"text/html"
    elif path == "/private":
        body, status, headers = "", 302, [(b"location", b"/login?next=/private")]
    else:
        body, status = "no such page", 404
    body = body.encode()
    headers += [(b"content-type", kind), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b"" if scope["method"] == "HEAD" else body})
`;

const WSGI = `def app(environ, start_response):
    start_response("200 OK", [("content-type", "text/plain"), ("content-length", "5")])
    return [b"hello"]
`;

const FLASK = `from flask import Flask

app = Flask(__name__)


@app.get("/items")
def items():
    return "hello"
`;

const SERVERS = `apps:
  mine: { interface: asgi, path: ../asgi }
  mine-wsgi: { interface: wsgi, path: ../wsgi }
  mine-flask: { interface: wsgi, path: ../flask }
requests:
  items: { path: /items }
  form: { path: /form }
  private: { path: /private }
  gone: { path: /gone }
  page: { path: /search, query: { page: 2 }, expect: { type: application/json, body: { json: { query: "page=2" } } } }
  other: { path: /search, query: { q: [a b, ü] } }
  search:
    method: POST
    path: /search
    query: { q: x y }
    headers: { x-tried: "1" }
    body: { json: { name: "ü" } }
    expect: { body: { regex: "q=x.y" } }
  from-file: { method: POST, path: /search, body: { file: sent.txt }, expect: { body: { json: { sent: "from a file" } } } }
  any: { path: /form, expect: { body: any } }
`;

/** A checkout with these rows. */
function checkout(side: string, rows: string, items = 3): string {
  return write(side, {
    "asgi/app.py": asgi(items),
    "wsgi/app.py": WSGI,
    "flask/app.py": FLASK,
    "bench/servers.yml": SERVERS,
    "bench/sent.txt": "from a file",
    "bench/mine.yml": `title: Mine\nlabel: Row\ndefaults: { server: uvicorn, app: mine, connections: 4 }\nrows:\n${rows}`,
  });
}

async function run(cwd: string, ...args: string[]) {
  const out = path("out");
  const ended = await runIn(cwd, out, ...args, "--scenarios", join(cwd, "bench"));
  const results = await readResults(join(out, "results.json")).catch(() => undefined);
  return { ...ended, results, report: () => readFileSync(join(out, "report.md"), "utf8") };
}

describe("requests of one's own", () => {
  it("are measured as the file says, and the report says what was not checked", { timeout: TIMEOUT_MS }, async () => {
    const cwd = checkout(
      "head",
      `  - { title: items, request: items }
  - { title: form, request: form }
  - { title: search, request: search }
  - { title: file, request: from-file }
  - { title: any, request: any }
  - { title: mix, requests: { page: 3, items: 1, other: 2 } }
  - { title: rate, request: items, rate: 100 }
  - { title: closed, request: items, keep-alive: false }
`,
    );
    const { code, output, errors, results, report } = await run(cwd, "mine", "--profile", "quick");
    expect(code, output + errors).toBe(0);
    const cases = results?.cases ?? [];
    for (const one of cases) {
      if (one.state !== "completed") throw new Error(JSON.stringify(one));
      expect([one.title, one.summary.failures]).toEqual([one.title, { total: 0, byKind: {} }]);
    }
    const answers = Object.fromEntries(cases.map((one) => [one.title, one.answers ?? []]));
    expect(answers.items).toMatchObject([{ size: 33, type: "application/json", checked: "size", learned: true }]);
    expect(answers.form?.[0]?.size).toEqual([expect.any(Number), expect.any(Number)]);
    expect(answers.search).toMatchObject([{ checked: "regex" }]);
    expect(answers.file).toMatchObject([{ checked: "json" }]);
    expect(answers.any).toEqual([{ request: "any", status: 200, checked: "none" }]);
    expect(answers.mix?.map(({ request, weight }) => `${request} ${weight}`)).toEqual(["page 3", "items 1", "other 2"]);
    const text = report();
    expect(text).toContain("Bodies not checked: any.");
    expect(text).toContain("Nothing is given about the answers to items, form, other:");
    expect(text).toContain(
      "The bodies of search, from-file, page are checked on single answers before and after the load.",
    );
    expect(text).toContain("page (3 of 6), items (1 of 6), other (2 of 6)");
    expect(text).toContain('The row "rate" uses a fixed rate (100 requests per second)');
    expect(text).toContain('The row "closed" uses a new connection for each request');
  });

  it("that are answered wrongly fail soon, and say how", { timeout: TIMEOUT_MS }, async () => {
    const cwd = checkout("head", "  - { title: private, request: private }\n  - { title: gone, request: gone }\n");
    const { results } = await run(cwd, "mine", "--profile", "quick");
    const reasons = (results?.cases ?? []).map((one) => (one.state === "failed" ? one.reason : one.state));
    expect(reasons[0]).toContain("got status 302 to /login?next=/private");
    expect(reasons[0]).toContain("This looks like a redirect to a login page");
    expect(reasons[1]).toContain('expected status 2xx; got status 404, application/json, 12 bytes "no such page"');
  });

  it("find a server that insists on a port, and show a body that differs", { timeout: TIMEOUT_MS }, async () => {
    const port = await freePort();
    const cwd = checkout(
      "head",
      `  - { title: uvicorn, server: stubborn-uvicorn, request: items }
  - { title: gunicorn, server: stubborn-gunicorn, app: mine-wsgi, request: items }
  - { title: body, server: gunicorn, app: mine-wsgi, request: exact }
`,
    );
    const servers = `servers:
  stubborn-uvicorn:
    { title: Stubborn, distribution: uvicorn, requires: [uvicorn==0.54.0, h11==0.16.0], interfaces: [asgi], command: [uvicorn, --port, "${port}", "{target}"] }
  stubborn-gunicorn:
    { title: Stubborn, distribution: gunicorn, requires: [gunicorn==27.0.1], interfaces: [wsgi], command: [gunicorn, --no-control-socket, --bind, "0.0.0.0:${port}", "{target}"] }
`;
    writeFileSync(
      join(cwd, "bench/servers.yml"),
      `${servers}${SERVERS}  exact: { path: /, expect: { body: { text: "hello, world" } } }\n`,
    );
    const startedAt = performance.now();
    const { results, output } = await run(cwd, "mine", "--profile", "quick");
    const reasons = (results?.cases ?? []).map((one) => (one.state === "failed" ? one.reason : one.state));
    const insists = new RegExp(`it answers on port ${port} and not on the port that it was given \\(\\d+\\)`);
    expect(reasons, output).toEqual([
      expect.stringMatching(insists),
      expect.stringMatching(insists),
      'the server did not get ready: it answers, but not as expected: expected status 200, 12 bytes "hello, world"; got status 200, text/plain, 5 bytes "hello" (equal up to byte 5)',
    ]);
    // Three servers would wait for 20 s each. Their installation is part of this time.
    expect((performance.now() - startedAt) / 1000).toBeLessThan(58);
  });

  it("go over TLS to every server that has it", { timeout: TIMEOUT_MS }, async () => {
    const cwd = checkout(
      "head",
      `  - { title: uvicorn, request: items, tls: true }
  - { title: granian, server: granian, request: items, tls: true }
  - { title: granian 2, server: granian, request: items, tls: true, http: 2 }
  - { title: hypercorn, server: hypercorn, request: items, tls: true }
  - { title: hypercorn 2, server: hypercorn, request: items, tls: true, http: 2 }
  - { title: gunicorn, server: gunicorn, app: mine-wsgi, request: items, tls: true }
  - { title: gunicorn asgi, server: gunicorn, request: items, tls: true }
  - { title: flask, server: flask-dev, app: mine-flask, request: items, tls: true, keep-alive: false }
`,
    );
    const { code, output, errors, results } = await run(cwd, "mine", "--profile", "quick");
    expect(code, output + errors).toBe(0);
    for (const one of results?.cases ?? []) {
      if (one.state !== "completed") throw new Error(JSON.stringify(one));
      expect(one.generatorCommand?.join(" ")).toMatch(/--cacert \{temp\}\/tls-authority\.pem .*https:\/\/127\.0\.0\.1/);
      expect(one.server.command.join(" ")).toContain("{cert}");
      expect([one.title, one.summary.failures.total]).toEqual([one.title, 0]);
    }
  });
});

describe("base and head that answer differently", () => {
  it("are compared, with a note", { timeout: TIMEOUT_MS }, async () => {
    const base = checkout("base", "  - { title: items, request: items }\n", 3);
    const head = checkout("head", "  - { title: items, request: items }\n", 5);
    const { code, output, errors, results, report } = await run(head, "mine", "--base", base, "--budget", "0.5");
    expect(code, output + errors).toBe(0);
    const [row] = results?.comparison?.rows ?? [];
    expect(row?.notes).toContain("items: base and head answer differently: 33 bytes in base, 55 bytes in head");
    expect(report()).toContain("items: base and head answer differently: 33 bytes in base, 55 bytes in head");
    expect(results?.cases.map(({ side, state, answers }) => [side, state, answers?.[0]?.size])).toEqual([
      ["base", "completed", 33],
      ["head", "completed", 55],
    ]);
  });
});
