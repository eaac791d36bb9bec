/** `run --metrics memory` with real granian processes: a leak of 100 bytes a request is found, an arena is no leak. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { readResults } from "../../src/results/read.js";
import { app, runIn, scenarios } from "../support/own-set.js";
import { writeSide } from "../support/repository.js";

const TIMEOUT_MS = 300_000;

let temp: string;
beforeEach(() => {
  temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
});
afterEach(() => rmSync(temp, { recursive: true, force: true }));

function write(side: string, files: Readonly<Record<string, string>>): string {
  return writeSide(temp, side, files);
}

/** @param more statements of each request */
const keeping = (more: string) => `
kept = []
served = 0
${app(0).replace("    body =", `    global served\n    served += 1\n    ${more}\n    body =`)}`;

/** A bytes object of this length takes 100 bytes with its header. */
const LEAK = "kept.append(bytes(67 - 8))";
const ARENA = "served == 20000 and kept.append(bytearray(b'x' * 8_000_000))";

describe("run --metrics memory", () => {
  it("finds a leak of 100 bytes a request, and calls a step no leak", { timeout: TIMEOUT_MS }, async () => {
    const sets = scenarios("leak", "arena");
    const base = write("base", { ...sets, "leak/app.py": keeping("pass"), "arena/app.py": keeping("pass") });
    const head = write("head", { ...sets, "leak/app.py": keeping(LEAK), "arena/app.py": keeping(ARENA) });
    const args = ["mine", "--scenarios", join(head, "bench"), "--base", base, "--metrics", "memory"];
    const ends = ["--fail-on", "worse", "--profile-rows", "none"];
    const { code, output, errors } = await runIn(head, join(temp, "out"), ...args, ...ends);
    expect(code, output + errors).toBe(1);
    const { comparison, cases } = await readResults(join(temp, "out/results.json"));
    expect(cases).toEqual([]);
    const [leak, arena] = ["mine/leak", "mine/arena"].map((id) => comparison?.rows.find((row) => row.id === id));
    expect(leak?.metrics.memoryGrowth).toMatchObject({ verdict: "worse" });
    expect(leak?.standsOn).toContain("memoryGrowth");
    // 100 bytes are 9.5 MiB in 100,000 requests.
    expect(leak?.metrics.memoryGrowth?.head).toBeGreaterThan(7);
    expect(leak?.metrics.memoryGrowth?.head).toBeLessThan(13);
    expect(arena?.metrics.memoryGrowth?.verdict).not.toBe("worse");
    const report = readFileSync(join(temp, "out/report.md"), "utf8");
    expect(report).toContain("memory growth");
  });

  it("prepares each side once, and notes that the sides answer differently", { timeout: TIMEOUT_MS }, async () => {
    const log = join(temp, "before.log");
    const before = `    before: [[sh, -c, "echo ran >> ${log}"]]\n`;
    const sets = {
      ...scenarios("answer"),
      "bench/servers.yml": `apps:\n  answer:\n    interface: asgi\n    path: ../answer\n${before}requests:\n  greeting: { path: / }\n`,
    };
    const long = app(0).replace('b"Hello"', 'b"x" * 20000').replace('b"5"', 'b"20000"');
    const base = write("base", { ...sets, "answer/app.py": long });
    const head = write("head", { ...sets, "answer/app.py": app(0) });
    const args = ["mine", "--scenarios", join(head, "bench"), "--base", base, "--metrics", "memory"];
    const { code, output, errors } = await runIn(head, join(temp, "out"), ...args, "--profile-rows", "none");
    expect(code, output + errors).toBe(0);
    const [row] = (await readResults(join(temp, "out/results.json"))).comparison?.rows ?? [];
    expect(row?.memory).toMatchObject({ state: "measured" });
    expect(row?.notes).toContainEqual(
      "greeting: base and head answer differently: 20,000 bytes in base, 5 bytes in head",
    );
    expect(readFileSync(log, "utf8")).toBe("ran\nran\n");
  });

  it("shows figures without verdicts where there is no base", { timeout: TIMEOUT_MS }, async () => {
    const head = write("head", { ...scenarios("steady"), "steady/app.py": app(0) });
    const args = ["mine", "--scenarios", join(head, "bench"), "--metrics", "memory"];
    const { code, output, errors } = await runIn(head, join(temp, "out"), ...args);
    expect(code, output + errors).toBe(0);
    const { witnesses } = await readResults(join(temp, "out/results.json"));
    expect(witnesses).toMatchObject([{ id: "mine/steady", memory: { state: "measured" } }]);
  });
});
