/**
 * A user's requests through the real command line, on servers of servers.yml. answers.test.ts has more of them on one small server,
 * parity.test.ts has every server over TLS.
 */
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

const SERVERS = `apps:
  mine: { interface: asgi, path: ../asgi }
  mine-wsgi: { interface: wsgi, path: ../wsgi }
requests:
  items: { path: /items }
  form: { path: /form }
  page: { path: /search, query: { page: 2 }, expect: { type: application/json, body: { json: { query: "page=2" } } } }
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
      `  - { title: search, request: search }
  - { title: file, request: from-file }
  - { title: any, request: any, server: granian, tls: true, http: 2 }
  - { title: mix, requests: { page: 3, items: 1, form: 2 } }
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
    expect(answers.search).toMatchObject([{ checked: "regex" }]);
    expect(answers.file).toMatchObject([{ checked: "json" }]);
    expect(answers.any).toEqual([{ request: "any", status: 200, checked: "none" }]);
    expect(answers.mix?.map(({ request, weight }) => `${request} ${weight}`)).toEqual(["page 3", "items 1", "form 2"]);
    expect(answers.mix?.[1]).toMatchObject({ size: 33, type: "application/json", checked: "size", learned: true });
    expect(answers.mix?.[2]?.size).toEqual([expect.any(Number), expect.any(Number)]);
    const overTls = cases.find(({ title }) => title === "any");
    expect(overTls?.generatorCommand?.join(" ")).toMatch(
      /--cacert \{temp\}\/tls-authority\.pem .*https:\/\/127\.0\.0\.1/,
    );
    expect(overTls?.server.command.join(" ")).toContain("{cert}");
    const text = report();
    expect(text).toContain("Bodies not checked: any.");
    expect(text).toContain("Nothing is given about the answers to items, form:");
    expect(text).toContain(
      "The bodies of search, from-file, page are checked on single answers before and after the load.",
    );
    expect(text).toContain("page (3 of 6), items (1 of 6), form (2 of 6)");
  });

  it("find a server with workers that insists on a port", { timeout: TIMEOUT_MS }, async () => {
    const port = await freePort();
    const cwd = checkout("head", "  - { title: gunicorn, server: stubborn, app: mine-wsgi, request: items }\n");
    const servers = `servers:
  stubborn:
    { title: Stubborn, distribution: gunicorn, requires: [gunicorn==27.0.1], interfaces: [wsgi], command: [gunicorn, --no-control-socket, --bind, "0.0.0.0:${port}", "{target}"] }
`;
    writeFileSync(join(cwd, "bench/servers.yml"), `${servers}${SERVERS}`);
    const { results, output } = await run(cwd, "mine", "--profile", "quick");
    const reasons = (results?.cases ?? []).map((one) => (one.state === "failed" ? one.reason : one.state));
    expect(reasons, output).toEqual([
      expect.stringMatching(new RegExp(`it listens on port ${port} and not on the port that it was given \\(\\d+\\)`)),
    ]);
  });
});

/** The first pairs alone. */
const BRIEF = ["--budget", "0.6", "--profile-rows", "none"];

describe("base and head that answer differently", () => {
  it("are compared, with a note", { timeout: TIMEOUT_MS }, async () => {
    const base = checkout("base", "  - { title: items, request: items }\n", 3);
    const head = checkout("head", "  - { title: items, request: items }\n", 5);
    const { code, output, errors, results, report } = await run(head, "mine", "--base", base, ...BRIEF);
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
