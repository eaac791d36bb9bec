import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { expandSet, slug } from "../../src/plan/expand.js";
import { loadLibrary } from "../../src/plan/load.js";
import { planRun } from "../../src/plan/plan.js";
import { profileNamed } from "../../src/plan/profile.js";
import { selectSets, splitSelectors } from "../../src/plan/select.js";
import type { PlannedSet } from "../../src/plan/types.js";
import { SERVERS, scenarioFolder, toolFolder } from "../support/scenarios.js";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const OPTIONS = {
  profile: profileNamed("standard"),
  cores: 8,
  launchers: "/tool/python-apps/launchers",
  serverSpecs: new Map<string, string>(),
  cwd: "/checkout",
};

async function planned(rows: string, options: Partial<typeof OPTIONS> = {}): Promise<PlannedSet> {
  const folder = await toolFolder({ "servers.yml": SERVERS, "mine.yml": `title: Mine\nrows:\n${rows}` });
  const library = await loadLibrary(folder, undefined);
  const source = library.sets.get("mine");
  if (!source) throw new Error("mine.yml was not read");
  return expandSet("mine", source, library, { ...OPTIONS, ...options });
}

describe("a row becomes a server command, an environment and cases", () => {
  test("knobs in the order of servers.yml, placeholders filled, host and port open", async () => {
    const set = await planned(
      "  - { title: Fast ASGI, server: fast, interface: asgi, request: hello, knobs: { loop: uvloop, workers: 2 }, connections: [64, 128] }",
    );
    const [row] = set.rows;
    expect(row?.id).toBe("mine/fast-asgi");
    expect(row?.server.command).toEqual([
      ..."fast --bind {host}:{port} --workers 2 --loop uvloop --http 1 --interface asgi app:app".split(" "),
    ]);
    expect(row?.connections).toEqual([64, 128]);
    expect(row?.environment.requires).toEqual(["Fast_Server[extra]==1.0", "uvloop==0.22.1", "uvloop==0.22.1"]);
  });

  test("placeholders of knobs with digits and dots in their names; other braces as they are", async () => {
    const servers = SERVERS.replace("{knobs}", "{http2-streams}/{v1.5}")
      .replace('"{target}"', `"{target}", '{"a": 1}', "x{3}"`)
      .replace("    knobs:\n", `    knobs:\n      http2-streams: { default: 8 }\n      v1.5: { default: 7 }\n`);
    const title = "{http2-streams} streams {v1.5} {2}";
    const row = `  - { title: "${title}", server: fast, interface: asgi, request: hello }`;
    const folder = await toolFolder({ "servers.yml": servers, "mine.yml": `title: Mine\nrows:\n${row}` });
    const library = await loadLibrary(folder, undefined);
    const source = library.sets.get("mine");
    const set = source && expandSet("mine", source, library, OPTIONS);
    expect(set?.rows[0]?.title).toBe("8 streams 7 {2}");
    expect(set?.rows[0]?.server.command).toEqual([
      ...["fast", "--bind", "{host}:{port}", "8/7", "--interface", "asgi", "app:app", '{"a": 1}', "x{3}"],
    ]);
  });

  test("the quick profile takes the first concurrency and one second", async () => {
    const row = "  - { title: A, server: fast, interface: wsgi, request: hello, connections: [64, 128] }";
    const set = await planned(row, { profile: profileNamed("quick") });
    expect(set.rows[0]).toMatchObject({ connections: [64], windowSec: 1 });
  });

  test("an echo expects its own body", async () => {
    const set = await planned("  - { title: E, server: fast, interface: asgi, request: echo }");
    expect(set.rows[0]?.request.expect.body).toEqual({ kind: "repeat", character: "x", sizeBytes: 1024 });
  });

  test("a matrix becomes rows; shares of the cores that are equal count once", async () => {
    const row = `  - title: "w{workers}"
    server: fast
    interface: asgi
    request: hello
    matrix: { workers: [1, cores/2, cores*0.5, cores], loop: [asyncio, uvloop] }`;
    const set = await planned(row);
    expect(set.rows.map((planned) => planned.id)).toEqual([
      "mine/w1-workers-1-loop-asyncio",
      "mine/w1-workers-1-loop-uvloop",
      "mine/w4-workers-4-loop-asyncio",
      "mine/w4-workers-4-loop-uvloop",
      "mine/w8-workers-8-loop-asyncio",
      "mine/w8-workers-8-loop-uvloop",
    ]);
  });

  test.each([
    ["2.7.0", "Fast_Server[extra]==2.7.0"],
    [">=2,<3", "Fast_Server[extra]>=2,<3"],
    [".", "Fast_Server[extra] @ file:///checkout"],
    ["./dist/a b.whl", "Fast_Server[extra] @ file:///checkout/dist/a%20b.whl"],
    ["git+https://example.org/fast@main", "Fast_Server[extra] @ git+https://example.org/fast@main"],
  ])("--server fast=%s installs %s", async (spec, requirement) => {
    const row = "  - { title: A, server: fast, interface: asgi, request: hello }";
    const set = await planned(row, { serverSpecs: new Map([["fast", spec]]) });
    expect(set.rows[0]?.environment.requires[0]).toBe(requirement);
  });

  test("a user's set can use the built-in servers", async () => {
    const builtin = await toolFolder({ "servers.yml": SERVERS });
    const own = await scenarioFolder({
      "mine.yml": "title: Mine\nrows:\n  - { title: A, server: fast, interface: asgi, request: hello }",
    });
    const library = await loadLibrary(builtin, own);
    expect([...library.sets.keys()]).toEqual(["mine"]);
    expect(library.ownSets).toEqual(["mine"]);
  });
});

/** `r0: 1, r1: 1, ...` */
function names(count: number): string {
  return Array.from({ length: count }, (_, i) => `r${i}: 1`).join(", ");
}

describe("a wrong row says where, what, and what would be right", () => {
  test.each([
    [
      "server: fsat, interface: asgi, request: hello",
      /mine\.yml:3: rows\[0\]: unknown server "fsat"; did you mean "fast"\?/,
    ],
    ["server: fast, request: hello", /server "fast" speaks asgi, wsgi: say which with "interface" or "app"/],
    ["server: fast, interface: rsgi, request: hello", /unknown app "rsgi".*Apps: asgi, wsgi/],
    ["server: fast, interface: asgi, request: helo", /unknown request "helo"; did you mean "hello"\?/],
    [
      "server: fast, interface: asgi, request: hello, knobs: { wokers: 2 }",
      /server "fast": unknown knob "wokers"; did you mean "workers"\?/,
    ],
    [
      "server: fast, interface: wsgi, request: hello, knobs: { loop: uvloop }",
      /knob "loop" of server "fast" does not apply to wsgi/,
    ],
    [
      "server: fast, interface: asgi, request: hello, knobs: { loop: tokio }",
      /knob "loop" of server "fast" is "tokio"; for asgi it can be: asyncio, uvloop/,
    ],
    [
      "server: fast, interface: asgi, request: hello, knobs: { workers: 1.5 }",
      /knob "workers" of server "fast" is 1\.5; it takes a whole number/,
    ],
    ["server: fast, interface: asgi, app: wsgi, request: hello", /app "wsgi" is wsgi, not asgi/],
    [
      "server: fast, interface: asgi, request: hello, connections: 0",
      /mine\.yml:3: rows\[0\]\.connections: got 0, expected 1 or more/,
    ],
    [
      "server: fast, interface: asgi, request: hello, connections: [16, 64, 64]",
      /mine\.yml:3: rows\[0\]\.connections: got \[16,64,64\], expected each concurrency once/,
    ],
    [
      `server: fast, interface: asgi, requests: { ${names(101)} }`,
      /mine\.yml:3: rows\[0\]\.requests: got .*, expected at most 100 requests/,
    ],
    [
      "server: fast, interface: asgi, request: hello, conections: 1",
      /rows\[0\]\.conections: unknown field "conections"; did you mean "connections"\?/,
    ],
    [
      "server: fast, interface: agsi, request: hello",
      /rows\[0\]\.interface: got "agsi", expected .*; did you mean "asgi"\?/,
    ],
  ])("%s", async (fields, message) => {
    await expect(planned(`  - { title: A, ${fields} }`)).rejects.toThrow(message);
  });

  const MINE = "title: M\nrows:\n  - { title: A, ";
  test.each([
    ["rows[0].timeout: got 3600000", { "mine.yml": `${MINE}timeout: 3600000 }` }],
    ["window: got 86401", { "mine.yml": `${MINE}}\nwindow: 86401` }],
    ["before-timeout: got 86401", { "servers.yml": "apps:\n  a: { interface: asgi, path: ., before-timeout: 86401 }" }],
    ["services.db.timeout: got 86401", { "servers.yml": "services:\n  db: { command: [db], timeout: 86401 }" }],
    ["ready-timeout: got 86401", { "servers.yml": SERVERS.replace("title: Fast", "$&\n    ready-timeout: 86401") }],
  ])("more seconds than a day has: %s", async (at, files) => {
    const loaded = loadLibrary(await toolFolder({ "servers.yml": SERVERS, ...files }), undefined);
    await expect(loaded).rejects.toThrow(`${at}, expected at most 86400 seconds (a day)`);
  });

  test("two rows of one id", async () => {
    const row = "  - { title: A, server: fast, interface: asgi, request: hello }";
    await expect(planned(`${row}\n${row}`)).rejects.toThrow(
      /mine\.yml:4: rows\[1\]: the row's id "mine\/a" is taken by .*mine\.yml:3/,
    );
  });

  test("a row whose name no results file can hold, although each part of it is short enough", async () => {
    const knob = "k".repeat(100);
    const servers = SERVERS.replace("    knobs:\n", `    knobs:\n      ${knob}: { default: 1, args: ["{${knob}}"] }\n`);
    const row = `  - { title: ${"t".repeat(200)}, group: ${"g".repeat(200)}, server: fast, interface: asgi, request: hello, matrix: { ${knob}: [1] } }`;
    const folder = await toolFolder({ "servers.yml": servers, "mine.yml": `title: M\nrows:\n${row}` });
    const library = await loadLibrary(folder, undefined);
    const source = library.sets.get("mine");
    expect(() => source && expandSet("mine", source, library, OPTIONS)).toThrow(
      /mine\.yml:3: rows\[0\]: the row's name \(set, group, title and matrix\) has 509 characters, at most 500: shorten/,
    );
  });

  test("an unknown placeholder in a title", async () => {
    const row = `  - { title: "{workers} of {loop2}", server: fast, interface: asgi, request: hello }`;
    await expect(planned(row)).rejects.toThrow(/unknown placeholder "\{loop2\}"/);
  });

  test("an unknown placeholder in a command", async () => {
    const servers = SERVERS.replace('"{target}"', '"{taget}"');
    const folder = await toolFolder({
      "servers.yml": servers,
      "mine.yml": "title: M\nrows:\n  - { title: A, server: fast, interface: asgi, request: hello }",
    });
    const library = await loadLibrary(folder, undefined);
    const source = library.sets.get("mine");
    expect(() => source && expandSet("mine", source, library, OPTIONS)).toThrow(
      /unknown placeholder "{taget}"; did you mean "target"\?/,
    );
  });
});

describe("scenario folders", () => {
  test.each([
    [{ "a.yml": "title: [" }, /a\.yml:1:\d+: not valid YAML/],
    [{ "a.yml": "title: A" }, /a\.yml:1: rows: is missing/],
    [{ "a.yml": "title: A\nrows: []" }, /rows: got \[\]/],
    [{ "A_B.yml": "title: A\nrows: []" }, /rows|named after its file/],
    [{ "note.txt": "x" }, /holds no scenario set/],
    [{ "servers.yml": "servers:\n  x:\n    title: X\n" }, /servers\.yml:3: servers\.x\.distribution: is missing/],
    [
      { "a.yml": "title: A\ncolumns: [rsp]\nrows:\n  - {title: a}" },
      /columns\[0\]: got "rsp", expected .*did you mean "rps"\?/,
    ],
  ] as [Record<string, string>, RegExp][])("%j", async (files, message) => {
    await expect(loadLibrary(await toolFolder(files), undefined)).rejects.toThrow(message);
  });

  test("a folder that does not exist, or is a file", async () => {
    const folder = await toolFolder({ "servers.yml": SERVERS });
    await expect(loadLibrary(folder, "/no/such")).rejects.toThrow("--scenarios /no/such: no such folder");
    await expect(loadLibrary(folder, join(folder, "scenarios", "servers.yml"))).rejects.toThrow(
      /is a file; give the folder/,
    );
  });

  test.each([
    ["a folder", (path: string) => mkdirSync(path)],
    ["a link that leads nowhere", (path: string) => symlinkSync("/no/such", path)],
    ["a pipe", (path: string) => void execFileSync("mkfifo", [path])],
  ])("a set that is %s", async (_, make) => {
    const folder = await toolFolder({ "servers.yml": SERVERS });
    make(join(folder, "scenarios", "mine.yml"));
    await expect(loadLibrary(folder, undefined)).rejects.toThrow(
      /mine\.yml: is no file that can be read, and every \*\.yml in that folder is read: move it$/,
    );
  });

  test("a name that is taken", async () => {
    const folder = await toolFolder({ "servers.yml": SERVERS });
    const own = await scenarioFolder({ "servers.yml": SERVERS });
    await expect(loadLibrary(folder, own)).rejects.toThrow(
      /servers\.fast: the name is taken by .*servers\.fast; choose another/,
    );
  });
});

describe("the methodology of a set of which some rows are selected", () => {
  const text = async (selector: string, ofWholeSets?: boolean) => {
    const options = { root: ROOT, cwd: "/", profile: "standard", cores: 4, selectors: [selector] };
    const { sets } = await planRun({ ...options, ...(ofWholeSets && { ofWholeSets }) });
    return sets.flatMap(({ methodology }) => methodology).join(" ");
  };

  test("is that of these rows", async () => {
    expect(await text("cpu-bound/*grpc")).toMatch(/ with ghz, after/);
    expect(await text("tls/requests-over-http-1-*")).not.toContain("Handshakes");
    expect(await text("tls/handshakes-granian-asgi")).toContain("All rows use a new connection for each request");
  });

  test("is that of the whole set in a shard, whose results are merged with those of other rows", async () => {
    expect(await text("cpu-bound/*grpc", true)).toMatch(/ with oha, ghz, after/);
    expect(await text("tls/requests-over-http-1-*", true)).toContain('The rows of "Handshakes" use a new connection');
  });
});

describe("selectors", () => {
  const SETS = [
    { name: "interfaces", rows: [{ id: "interfaces/rsgi-bytes" }, { id: "interfaces/asgi-bytes" }] },
    { name: "vs-asgi", rows: [{ id: "vs-asgi/x" }] },
    { name: "vs-wsgi", rows: [{ id: "vs-wsgi/y" }] },
  ] as unknown as PlannedSet[];
  const ids = (...selectors: string[]) =>
    selectSets(SETS, splitSelectors(selectors)).flatMap((set) => set.rows.map((row) => row.id));

  test("sets, rows, globs, commas; each row once, in the sets' order", () => {
    expect(ids("vs-*")).toEqual(["vs-asgi/x", "vs-wsgi/y"]);
    expect(ids("*")).toHaveLength(4);
    expect(ids("vs-wsgi,interfaces/rsgi-*", "vs-wsgi/y")).toEqual(["interfaces/rsgi-bytes", "vs-wsgi/y"]);
    expect(ids("*/*-bytes")).toEqual(["interfaces/rsgi-bytes", "interfaces/asgi-bytes"]);
  });

  test.each([
    ["interfcaes", 'unknown scenario set "interfcaes"; did you mean "interfaces"?'],
    ["interfaces/rsgi-byte", 'unknown row "interfaces/rsgi-byte"; did you mean "interfaces/rsgi-bytes"?'],
    ["nope/x", 'unknown scenario set "nope"'],
    ["nope*", 'unknown scenario set "nope*"'],
  ])("%s", (selector, message) => {
    expect(() => ids(selector)).toThrow(message);
  });
});

test("slugs hold letters, digits and dashes", () => {
  expect(slug("HTTP/2 [POST]", {}, "")).toBe("http-2-post");
  expect(slug("Granian", { workers: 2 }, "ASGI")).toBe("asgi-granian-workers-2");
});

test("an unknown profile", () => {
  expect(() => profileNamed("quik")).toThrow(
    'invalid --profile "quik": use quick, standard or thorough; did you mean "quick"?',
  );
});
