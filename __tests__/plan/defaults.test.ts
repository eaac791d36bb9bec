/** What is measured where nobody says it. */
import { beforeAll, describe, expect, it } from "vitest";
import { INPUT_NAMES } from "../../src/actions/inputs.js";
import { chooseSelectors, chooseServers, serversOfProject, unusedServers } from "../../src/plan/defaults.js";
import { COMMAND_LINE } from "../../src/plan/option-names.js";
import { type Planned, planRun, rowsOf } from "../../src/plan/plan.js";
import { projectName } from "../../src/plan/project-name.js";
import { ROOT } from "../support/own-set.js";

let all: Planned;
beforeAll(async () => {
  all = await planRun({ root: ROOT, cwd: ROOT, cores: 2, selectors: [], profile: "standard" });
});

describe("the project of a checkout", () => {
  it.each([
    ["that of the standard", { pyproject: '[project]\nname = "My_Server"\n' }, "My_Server"],
    ["Poetry's", { pyproject: '[tool.poetry]\nname = "hypercorn"\n' }, "hypercorn"],
    [
      "that of setup.cfg",
      { pyproject: "[build-system]\n", setupCfg: "[options]\nx = 1\n[metadata]\nname = waitress\n" },
      "waitress",
    ],
    ["none of another section", { setupCfg: "[metadata]\nversion = 1\n\n[tool]\nname = waitress\n" }, undefined],
    ["none", {}, undefined],
  ])("has the name: %s", (_, texts, name) => {
    expect(projectName(texts)).toBe(name);
  });

  it.each([
    ["granian", ["granian"]],
    ["uWSGI", ["uwsgi", "uwsgi-gevent"]],
    ["Uvicorn", ["uvicorn", "uvicorn-zttp"]],
    ["werkzeug", ["flask-dev"]],
    ["shop", []],
    [undefined, []],
  ])("%s is that of %j", (project, servers) => {
    expect(serversOfProject(project, all.library.servers)).toEqual(servers);
  });
});

describe("the servers", () => {
  it.each([
    [["uvicorn=0.30.0"], ["granian"], ["uvicorn=0.30.0"]],
    [["."], ["granian"], ["granian=."]],
    [[".", "uvicorn=0.30.0"], ["granian"], ["granian=.", "uvicorn=0.30.0"]],
    [[], ["granian"], ["granian=."]],
    [[], ["uvicorn", "uvicorn-zttp"], ["uvicorn=.", "uvicorn-zttp=."]],
    [[], [], []],
  ])("%j in a checkout of %s are %j", (servers, own, expected) => {
    expect(chooseServers({ servers }, own, INPUT_NAMES).servers).toEqual(expected);
  });

  it("that nobody named are said", () => {
    expect(chooseServers({ servers: [] }, ["granian"], INPUT_NAMES).notes).toEqual([
      "This is a checkout of granian: granian is installed from it (servers granian=.).",
    ]);
    expect(chooseServers({ servers: ["."] }, ["granian"], INPUT_NAMES).notes).toEqual([]);
  });

  it("are refused where the checkout is that of none", () => {
    expect(() => chooseServers({ servers: ["."] }, [], INPUT_NAMES)).toThrow(
      'invalid servers ".": neither pyproject.toml nor setup.cfg names a server that is listed. Write NAME=. with a name that `list` prints',
    );
  });

  it("that no row runs are said", () => {
    const rows = rowsOf(all).filter(({ set }) => set === "interfaces");
    expect(unusedServers(["granian=.", "uvicorn=."], rows, INPUT_NAMES)).toEqual([
      "servers uvicorn=. has no effect: no selected benchmark runs uvicorn. For one that does, name them in the input scenarios.",
    ]);
  });
});

describe("the rows", () => {
  const chosen = (ownSets: readonly string[], servers: readonly string[], names = INPUT_NAMES) =>
    chooseSelectors({ ownSets, servers }, rowsOf(all), names);

  it("are all of the own sets, whatever servers are named", () => {
    expect(chosen(["shop", "more"], ["uvicorn"])).toEqual({ selectors: ["shop", "more"], notes: [] });
  });

  it("are some of the server's, bounded, and the reader learns of the others", () => {
    const { selectors, notes } = chosen([], ["uvicorn"]);
    expect(selectors).toEqual([
      "vs-asgi/uvicorn-h11-get-10kb",
      "vs-asgi/uvicorn-h11-echo-10kb-iter",
      "vs-asgi/uvicorn-httptools-get-10kb",
      "vs-asgi/uvicorn-httptools-echo-10kb-iter",
      "all-servers/asgi-uvicorn-httptools-http-parser-httptools",
      "all-servers/asgi-uvicorn-h11-http-parser-h11",
      "all-servers/asgi-uvicorn-zttp-http-parser-zttp",
    ]);
    expect(notes).toEqual([
      expect.stringMatching(
        /^No benchmarks are named, so 7 of the \d+ of uvicorn are measured\. For others, name them in the input scenarios, such as \S+\.$/,
      ),
    ]);
  });

  it("name a set that has others, and none where all are measured", () => {
    const others = (server: string, ...ids: readonly string[]) =>
      chooseSelectors(
        { ownSets: [], servers: [server] },
        ids.map((id) => ({ id, server: { name: server } })),
        INPUT_NAMES,
      ).notes;
    expect(others("waitress", "all-servers/waitress", "hello/waitress")).toEqual([
      "No benchmarks are named, so 1 of the 2 of waitress is measured. For others, name them in the input scenarios, such as hello.",
    ]);
    expect(others("waitress", "all-servers/waitress")).toEqual([]);
  });

  it("run the server, at most 8 of each, for every server that is listed", () => {
    const servers = [...all.library.servers.keys()];
    for (const name of servers) {
      const { selectors } = chosen([], [name]);
      const found = rowsOf(all).filter(({ id }) => selectors.includes(id));
      expect([name, new Set(found.map(({ server }) => server.name))]).toEqual([name, new Set([name])]);
      expect(found).toHaveLength(selectors.length);
      expect(selectors.length).toBeLessThanOrEqual(8);
    }
  });

  it("are those of the usual set on the command line, and none in a workflow, which learns what to do", () => {
    expect(chosen([], [], COMMAND_LINE).selectors).toEqual(["interfaces"]);
    expect(() => chosen([], [])).toThrow(
      /^nothing says what to measure: .* For an app: run `init` .* For a server: give servers, such as uvicorn=\./,
    );
  });
});
