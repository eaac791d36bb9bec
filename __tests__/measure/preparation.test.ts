/** `before:` and `services:` with real processes. */
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { splitWithServices } from "../../src/measure/machine/cpus.js";
import { pairChance } from "../../src/measure/pairs/chance.js";
import type { MeasurePair } from "../../src/measure/pairs/pair.js";
import { PairPreparations } from "../../src/measure/preparation/pair-preparations.js";
import { type Prepared, preparedRow, prepareSide } from "../../src/measure/preparation/prepare.js";
import { shareOfOthers } from "../../src/measure/window.js";
import type { PlannedPreparation, PlannedService, Side } from "../../src/plan/types.js";
import { processesWith } from "../support/cli.js";
import { faultyRow, plainPython, testContext } from "../support/measure.js";
import { type TestRun, testRun } from "../support/run.js";

let run: TestRun;
beforeEach(() => {
  run = testRun();
});
afterEach(async () => await run[Symbol.asyncDispose]());

const LISTEN =
  "import os, socket, sys, time; time.sleep(float(sys.argv[2])); s = socket.create_server(('127.0.0.1', int(sys.argv[1]))); open('here', 'w').close(); time.sleep(60)";

function service(name: string, command: readonly string[], fields: Partial<PlannedService> = {}): PlannedService {
  const at = `servers.yml:2: services.${name}`;
  return { name, command, folder: run.tempDir, env: {}, at, ready: { kind: "port" }, timeoutSec: 5, ...fields };
}

async function prepare(fields: Partial<PlannedPreparation>, cwd = run.tempDir) {
  const preparation = { services: [], before: [], beforeAt: "servers.yml:9: apps.shop.before", beforeTimeoutSec: 5 };
  const row = faultyRow("good", { preparation: { ...preparation, ...fields } });
  const placed = { ...row, server: { ...row.server, cwd, env: { SHOP: "open" } } };
  return await prepareSide(placed, "base", plainPython(), testContext(run));
}

async function prepared(fields: Partial<PlannedPreparation>): Promise<Prepared> {
  const outcome = await prepare(fields);
  if (outcome.state === "failed") throw new Error(`${outcome.reason}\n${outcome.log}`);
  return outcome;
}

const python = (script: string, ...args: string[]) => ["python3", "-c", script, ...args];

describe("before", () => {
  it("runs the commands in order, in the app's folder, with the app's variables and a folder for data", async () => {
    const write =
      "import os, sys; open('order', 'a').write(sys.argv[1] + os.environ['SHOP']); open(os.environ['SERVER_BENCH_DATA'] + '/db', 'w')";
    const outcome = await prepared({ before: [python(write, "1"), python(write, "2")] });
    const data = outcome.variables.SERVER_BENCH_DATA ?? "";
    expect(readFileSync(join(run.tempDir, "order"), "utf8")).toBe("1open2open");
    expect(readdirSync(data)).toEqual(["db"]);
    await outcome[Symbol.asyncDispose]();
    expect(existsSync(data)).toBe(false);
  });

  it.each([
    [
      ["python3", "-c", "import nothing_of_this_name"],
      /^servers\.yml:9: apps\.shop\.before\[0\]: `python3 -c "import nothing_of_this_name"` failed \(exit code 1\): ModuleNotFoundError: No module named 'nothing_of_this_name'$/,
    ],
    [["python3", "-c", "import time; time.sleep(60)"], /` did not end within 1 s \(before-timeout\) and was ended$/],
    [["no-such-program"], /`no-such-program` (?:failed|cannot be started).*no-such-program/],
  ])("fails the row: %j", async (command, reason) => {
    const beforeTimeoutSec = command.join(" ").includes("sleep") ? 1 : 10;
    const outcome = await prepare({ before: [command], beforeTimeoutSec });
    expect(outcome).toMatchObject({ state: "failed", reason: expect.stringMatching(reason) });
    expect(readdirSync(run.tempDir).filter((name) => name.startsWith("data-"))).toEqual([]);
  });

  it("leaves no process", async () => {
    const fork = "import os, time\nif os.fork() == 0:\n    os.setsid(); time.sleep(77.25)";
    await using _ = await prepared({ before: [python(fork)] });
    expect(processesWith("77.25")).toEqual([]);
  });
});

describe("services", () => {
  it("are there before the commands, with their ports, and end with the row", async () => {
    const ask =
      "import os, socket; socket.create_connection((os.environ['SERVICE_MY_CACHE_HOST'], int(os.environ['SERVICE_MY_CACHE_PORT'])))";
    const outcome = await prepared({
      services: [service("my-cache", python(LISTEN, "{port}", "0.3"))],
      before: [python(ask)],
    });
    const [running] = outcome.services;
    expect(outcome.variables.SERVICE_MY_CACHE_PORT).toBe(String(running?.port));
    await outcome[Symbol.asyncDispose]();
    expect(running?.process.exit).toBeDefined();
    expect(existsSync(join(run.tempDir, "here"))).toBe(false);
  });

  it("are ready when they answer, or when a command says so", async () => {
    mkdirSync(join(run.tempDir, "www"));
    const http = ["python3", "-m", "http.server", "--bind", "{host}", "--directory", "{folder}/www", "{port}"];
    const check = python("import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])))", "{port}");
    await using outcome = await prepared({
      services: [
        service("web", http, { ready: { kind: "http", path: "/" } }),
        service("db", python(LISTEN, "{port}", "0"), { ready: { kind: "command", command: check } }),
      ],
    });
    expect(Object.keys(outcome.variables).sort()).toEqual([
      "SERVER_BENCH_DATA",
      "SERVICE_DB_HOST",
      "SERVICE_DB_PORT",
      "SERVICE_WEB_HOST",
      "SERVICE_WEB_PORT",
    ]);
  });

  it("fail the row where they do not come up, and the others end", async () => {
    const good = service("good", python(LISTEN, "{port}", "0"));
    const ends = service("ends", python("import sys; sys.exit('no configuration')"));
    expect(await prepare({ services: [good, ends] })).toMatchObject({
      state: "failed",
      reason:
        "servers.yml:2: services.ends: the service ends ended (exit code 1) before it was ready: no configuration",
    });
    expect(processesWith("s = socket.create_server")).toEqual([]);
    const late = service("late", python(LISTEN, "{port}", "30"), { timeoutSec: 1 });
    expect(await prepare({ services: [late] })).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(
        /the service late is not ready after 1 s \(no connection to port \d+\): if it needs longer, raise its `timeout`$/,
      ),
    });
    const status = service("status", ["python3", "-m", "http.server", "{port}"], {
      timeoutSec: 5,
      ready: { kind: "http", path: "/none" },
    });
    expect(await prepare({ services: [status] })).toMatchObject({
      reason: expect.stringMatching(/is not ready after 5 s \(\/none answered 404\): /),
    });
  });
});

describe("variables of an app", () => {
  it("are filled for commands and servers", async () => {
    const row = faultyRow("good", {
      preparation: {
        ...{ services: [service("my-cache", python(LISTEN, "{port}", "0"))], beforeAt: "", beforeTimeoutSec: 5 },
        before: [python("import os; open('url', 'w').write(os.environ['URL'])")],
      },
    });
    const env = { URL: "x://{SERVICE_MY_CACHE_HOST}:{SERVICE_MY_CACHE_PORT}{SERVER_BENCH_DATA}" };
    const placed = { ...row, server: { ...row.server, cwd: run.tempDir, env } };
    const outcome = await prepareSide(placed, "base", plainPython(), testContext(run));
    if (outcome.state === "failed") throw new Error(outcome.reason);
    await using _ = outcome;
    const url = `x://127.0.0.1:${outcome.services[0]?.port}${outcome.variables.SERVER_BENCH_DATA}`;
    expect(readFileSync(join(run.tempDir, "url"), "utf8")).toBe(url);
    expect(preparedRow(placed, outcome).server.env.URL).toBe(url);
  });
});

describe("the pairs of a row", () => {
  it("share one preparation, which ends with the row", async () => {
    const preparation = {
      ...{ before: [python("open('count', 'a').write('x')")], beforeAt: "", beforeTimeoutSec: 5 },
      services: [service("store", python(LISTEN, "{port}", "0"))],
    };
    const row = faultyRow("good", { preparation });
    const side = { row: { ...row, server: { ...row.server, cwd: run.tempDir } }, ready: plainPython() };
    const data: unknown[] = [];
    let fails = false;
    const measured: MeasurePair = async (sides) => {
      data.push([sides.base, sides.head].map((one) => one.row.server.env.SERVER_BENCH_DATA));
      const end = { slices: [], side: "base", reason: "it broke", log: "" } as const;
      return fails ? { ...end, state: "failed" } : { state: "measured", slices: [] };
    };
    await using preparations = new PairPreparations(measured);
    const quiet = { onPhase: () => {}, onLoad: () => {} };
    const measure = (connections: number) =>
      preparations.measure({ base: side, head: side }, pairChance(1, 0), {
        ...testContext(run),
        ...quiet,
        connections,
      });
    const stores = () => processesWith("s = socket.create_server").length;
    await measure(8);
    const perRow = stores();
    await measure(8);
    expect(stores()).toBe(perRow);
    expect(data[1]).toEqual(data[0]);
    expect(readFileSync(join(run.tempDir, "count"), "utf8")).toBe("xx");
    preparations.release(row.id, 8);
    fails = true;
    expect(await measure(4)).toMatchObject({ state: "failed", side: "base" });
    expect(stores()).toBe(perRow);
    expect(readFileSync(join(run.tempDir, "count"), "utf8")).toBe("xxxx");
    await preparations[Symbol.asyncDispose]();
    expect(stores()).toBe(0);
    expect(readdirSync(run.tempDir).filter((name) => name.startsWith("data-"))).toEqual([]);
  });

  it("fail where a service has ended meanwhile, although their servers answered", async () => {
    const services = [
      service("store", python(LISTEN.replace("time.sleep(60)", "time.sleep(0.3); sys.exit(9)"), "{port}", "0")),
    ];
    const row = faultyRow("good", { preparation: { services, before: [], beforeAt: "", beforeTimeoutSec: 5 } });
    const side = { row: { ...row, server: { ...row.server, cwd: run.tempDir } }, ready: plainPython() };
    await using preparations = new PairPreparations(async () => {
      await sleep(1500);
      return { state: "measured", slices: [] };
    });
    const context = { ...testContext(run), onPhase: () => {}, onLoad: () => {}, connections: 8 };
    const outcome = await preparations.measure({ base: side, head: side }, pairChance(1, 0), context);
    expect(outcome).toMatchObject({ state: "failed", side: "base", reason: "the service store ended (exit code 9)" });
  });

  const NOTE = "import os; open('order', 'a').write(os.environ['SERVER_BENCH_DATA'].rsplit('/', 1)[1][:9] + ' ')";

  /** @param failing sides whose command fails @returns how the pair ended, and the order of its sides */
  async function orderOf(first: Side, failing: readonly Side[]) {
    const side = (name: Side) => {
      const command = python(failing.includes(name) ? `${NOTE}; raise SystemExit('no')` : NOTE);
      const services = [service("store", python(LISTEN, "{port}", "0"))];
      const row = faultyRow("good", {
        preparation: { services, before: [command], beforeAt: "", beforeTimeoutSec: 5 },
      });
      return { row: { ...row, server: { ...row.server, cwd: run.tempDir } }, ready: plainPython() };
    };
    await using preparations = new PairPreparations(async () => ({ state: "measured", slices: [] }));
    const context = { ...testContext(run), onPhase: () => {}, onLoad: () => {}, connections: 8 };
    const chance = { ...pairChance(1, 0), first };
    const outcome = await preparations.measure({ base: side("base"), head: side("head") }, chance, context);
    if (outcome.state === "failed") expect(processesWith("s = socket.create_server")).toEqual([]);
    const order = readFileSync(join(run.tempDir, "order"), "utf8").trim().split(" ");
    return [outcome.state === "failed" ? outcome.side : outcome.state, ...order];
  }

  it.each([
    ["base", [], ["measured", "data-base", "data-head"]],
    ["head", [], ["measured", "data-head", "data-base"]],
    ["head", ["head"], ["head", "data-head", "data-base"]],
    ["head", ["base", "head"], ["base", "data-head", "data-base"]],
  ] as const)("are prepared in the order of the first pair: %s first, failing: %j", async (first, failing, outcome) => {
    expect(await orderOf(first, failing)).toEqual(outcome);
  });
});

describe("CPUs for services", () => {
  it("are a core alone, where there are three", () => {
    const cores = (count: number) => ({ cores: Array.from({ length: count }, (_, cpu) => [cpu]) });
    expect(splitWithServices(cores(4))).toMatchObject({ server: [0], client: [1, 2], services: [3], warnings: [] });
    expect(splitWithServices(cores(3))).toMatchObject({ server: [0], client: [1], services: [2] });
    const two = splitWithServices(cores(2));
    expect(two).toMatchObject({
      server: [0],
      client: [1],
      warnings: [expect.stringMatching(/share the load generator's/)],
    });
    expect(two.services).toBeUndefined();
  });

  it("that are the load generator's count their work as the row's own", () => {
    const meters = { busySec: 1.5, serverCpuSec: 0.5, idleCpuSec: 0, capacitySec: 2 };
    expect(shareOfOthers(meters, 0.5)).toBeCloseTo(0.25);
    expect(shareOfOthers({ ...meters, companionCpuSec: 0.5 }, 0.5)).toBe(0);
  });
});
