/** What is recorded: plants, scenario and rows. Real servers are the business of a recording itself. */
import { execFile } from "node:child_process";
import { copyFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { commandOf } from "../../evaluation/options.js";
import { seeded } from "../../evaluation/random.js";
import { shareOfTurn } from "../../evaluation/record/calibrate.js";
import { calibratedWork, parsePlant, plantEnvironment } from "../../evaluation/record/plants.js";
import { rowPlans } from "../../evaluation/record/schedule.js";
import { SERVERS_FILE, SET, scenario } from "../../evaluation/record/subjects.js";
import { planRun, rowsOf } from "../../src/plan/plan.js";
import { MEASURED_NOISE, noisyPair } from "../support/pairs.js";
import { ROOT } from "../support/workflows.js";

const run = promisify(execFile);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "evaluate-"));
  await copyFile(join(ROOT, "evaluation/record/app.py"), join(folder, "app.py"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe("parsePlant", () => {
  it("reads every kind", () => {
    expect(parsePlant("none")).toEqual({ kind: "none" });
    expect(parsePlant("cache:2.5")).toEqual({ kind: "cache", percent: 2.5 });
    expect(parsePlant("stall:3:6")).toEqual({ kind: "stall", percent: 3, ms: 6 });
    expect(calibratedWork(parsePlant("alternate:10"))).toEqual({ kind: "cpu", share: 0.1 });
    expect(calibratedWork(parsePlant("idle:15"))).toBeUndefined();
  });

  it.each(["", "cpu", "cpu:0", "cpu:x", "cpu:3:3", "none:1", "stall:3", "idle:200", "disk:3"])("refuses %j", (spec) => {
    expect(() => parsePlant(spec)).toThrow(`--plants: "${spec}" is no plant`);
  });
});

describe("the planted app", () => {
  /** Runs Python beside the app. */
  const python = async (spec: string, turns: number, code: string) => {
    const env = { PATH: process.env.PATH, ...plantEnvironment(parsePlant(spec), turns) };
    return (await run("python3", ["-c", `import app, time, os\n${code}`], { cwd: folder, env })).stdout.trim();
  };
  const answered = "print(len(app.wsgi({}, lambda *_: None)[0]))";

  it.each(["none", "cpu:3", "allocation:3", "syscalls:3", "cache:3", "alternate:3", "stall:100:1", "idle:20"])(
    "answers 10 KB with %s",
    async (spec) => {
      expect(await python(spec, 20, answered)).toBe("10000");
    },
  );

  it("delays its share of the requests", async () => {
    const code = `
slow = 0
for _ in range(400):
    started = time.monotonic()
    app.wsgi({}, lambda *_: None)
    slow += time.monotonic() - started >= 0.002
print(slow)`;
    const slow = Number(await python("stall:10:2", 0, code));
    expect(slow).toBeGreaterThan(15);
    expect(slow).toBeLessThan(80);
  });

  it("works in every second stretch of a block's length", async () => {
    const code = `
calls = []
app.burn = lambda: calls.append(1)
counts = []
for now in (100.1, 100.5, 100.9, 101.3):
    calls.clear()
    time.monotonic = lambda: now
    for _ in range(5): app.work()
    counts.append(len(calls))
print(counts)`;
    expect(await python("alternate:3", 10, code)).toBe("[5, 0, 5, 0]");
  });

  // Beside other load the loop may be late with a request, and the thread may get no CPU.
  it("burns CPU only while no request comes", { retry: 3 }, async () => {
    const used = (step: string) => `
start = time.process_time()
end = time.monotonic() + 0.6
while time.monotonic() < end:
    ${step}
print(time.process_time() - start)`;
    const idle = Number(await python("idle:50", 0, used("time.sleep(0.01)")));
    const busy = Number(await python("idle:50", 0, used("app.work(); time.sleep(0.01)")));
    const none = Number(await python("none", 0, used("time.sleep(0.01)")));
    expect(idle).toBeGreaterThan(none + 0.1);
    expect(busy).toBeLessThan(none + 0.06);
  });
});

describe("the scenario", () => {
  it("plans every server that is recorded", async () => {
    const names = ["granian-rsgi", "granian", "uvicorn", "gunicorn-gthread", "hypercorn"];
    await writeFile(join(folder, "servers.yml"), SERVERS_FILE);
    await writeFile(join(folder, `${SET}.yml`), scenario(names));
    const plan = await planRun({
      ...{ root: ROOT, cwd: folder, scenarios: folder, profile: "quick", cores: 2, selectors: [SET] },
    });
    const rows = rowsOf(plan);
    expect(rows.map(({ title }) => title)).toEqual(names);
    expect(rows.map(({ server }) => server.interface)).toEqual(["rsgi", "asgi", "asgi", "wsgi", "asgi"]);
    expect(rows[3]?.server.command.join(" ")).toContain("gthread");
  });
});

describe("rowPlans", () => {
  const wanted = { servers: ["uvicorn"], plants: ["none", "cpu:3"], neighbours: [0, 0.25], neighbourCpus: [0, 1] };

  it("records plants and neighbours between the first two builds, and identical sides between the others", () => {
    const rows = rowPlans({ ...wanted, builds: ["a", "b", "c", "d", "e", "f"] });
    expect(
      rows.map(({ plant, neighbour, builds }) => [plant, neighbour.share, `${builds.base}${builds.head}`]),
    ).toEqual([
      ["none", 0, "ab"],
      ["cpu:3", 0, "ab"],
      ["none", 0.25, "ab"],
      ["cpu:3", 0.25, "ab"],
      ["none", 0, "cd"],
      ["none", 0, "ef"],
    ]);
  });

  it("needs two builds", () => {
    expect(() => rowPlans({ ...wanted, builds: ["a"] })).toThrow("two builds");
  });
});

describe("shareOfTurn", () => {
  it("finds the cost of a turn from pairs", async () => {
    const random = seeded(2);
    const share = await shareOfTurn(async (turns, number) =>
      noisyPair(random, MEASURED_NOISE, Math.log1p(turns * 0.0002), number),
    );
    expect(share / 0.0002).toBeGreaterThan(0.9);
    expect(share / 0.0002).toBeLessThan(1.1);
  });

  it("refuses turns without a cost", async () => {
    const random = seeded(2);
    await expect(shareOfTurn(async (_, number) => noisyPair(random, MEASURED_NOISE, -0.2, number))).rejects.toThrow(
      "found no cost",
    );
  });
});

describe("commandOf", () => {
  const parse = (...args: string[]) => commandOf(args, ROOT, () => {});

  it("reads a recording's options", () => {
    const args = ["--servers", "uvicorn", "--plants", "none,cpu:3", "--neighbours", "0,12.5", "--builds", "4"];
    const command = parse("record", "a.json.gz", ...args, "--checkout", "uvicorn=/tmp/u");
    expect(command).toMatchObject({
      name: "record",
      options: {
        servers: ["uvicorn"],
        neighbours: [0, 0.125],
        builds: 4,
        counts: 0,
        checkouts: new Map([["uvicorn", "/tmp/u"]]),
      },
    });
  });

  it("writes the report of this repository, unless another place is named", () => {
    const options = { files: [join(process.cwd(), "a.json.gz")], whole: undefined, reports: 200, seed: 1 };
    const out = join(ROOT, "evaluation/report");
    expect(parse("report", "a.json.gz")).toEqual({ name: "report", options: { ...options, root: ROOT, out } });
  });

  it.each([
    [["record"], "usage: "],
    [["draw", "a"], "usage: "],
    [["record", "a", "--servers", "apache"], '--servers: "apache" is not recorded'],
    [
      ["record", "a", "--neighbours", "0,0.25"],
      '--neighbours: "0.25" is too small: give per cent of the time, such as 25',
    ],
    [["record", "a", "--neighbours", "60"], '--neighbours: "60" is no number from 0 to 50'],
    [["record", "a", "--builds", "3"], '--builds: "3" is odd'],
    [["record", "a", "--pairs", "1.5"], '--pairs: "1.5" is not a whole number'],
    [["record", "a", "--pairs", "4", "--counts", "5"], '--counts: "5" is more than the 4 of --pairs'],
    [["record", "a", "--neighbour-cpus", "all"], "use both, server or client"],
    [["record", "a", "--checkout", "uvicorn"], "write SERVER=DIR"],
    [["report", "a", "--what"], "--what"],
  ])("refuses %j", (args, message) => {
    expect(() => parse(...args)).toThrow(message);
  });
});
