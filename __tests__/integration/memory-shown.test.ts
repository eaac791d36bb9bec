/** `run --metrics memory` with real granian processes: what it prepares, notes and shows. What it finds is in long/alone/memory.test.ts. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readResults } from "../../src/results/read.js";
import { runIn, scenarios, waitingApp } from "../support/own-set.js";
import { sideFolders } from "../support/side-folders.js";

const TIMEOUT_MS = 300_000;

const { path, write } = sideFolders();

describe("run --metrics memory", () => {
  it("prepares each side once, and notes that the sides answer differently", { timeout: TIMEOUT_MS }, async () => {
    const log = path("before.log");
    const before = `    before: [[sh, -c, "echo ran >> ${log}"]]\n`;
    const sets = {
      ...scenarios("answer"),
      "bench/servers.yml": `apps:\n  answer:\n    interface: asgi\n    path: ../answer\n${before}requests:\n  greeting: { path: / }\n`,
    };
    const long = waitingApp().replace('b"Hello"', 'b"x" * 20000').replace('b"5"', 'b"20000"');
    const base = write("base", { ...sets, "answer/app.py": long });
    const head = write("head", { ...sets, "answer/app.py": waitingApp() });
    const args = ["mine", "--scenarios", join(head, "bench"), "--base", base, "--metrics", "memory", "--budget", "1"];
    const { code, output, errors } = await runIn(head, path("out"), ...args, "--profile-rows", "none");
    expect(code, output + errors).toBe(0);
    const [row] = (await readResults(path("out/results.json"))).comparison?.rows ?? [];
    expect(row?.memory).toMatchObject({ state: "measured" });
    expect(row?.notes).toContainEqual(
      "greeting: base and head answer differently: 20,000 bytes in base, 5 bytes in head",
    );
    expect(readFileSync(log, "utf8")).toBe("ran\nran\n");
  });

  it("shows figures without verdicts where there is no base", { timeout: TIMEOUT_MS }, async () => {
    const head = write("head", { ...scenarios("steady"), "steady/app.py": waitingApp() });
    const args = ["mine", "--scenarios", join(head, "bench"), "--metrics", "memory"];
    const { code, output, errors } = await runIn(head, path("out"), ...args);
    expect(code, output + errors).toBe(0);
    const { furtherMetrics } = await readResults(path("out/results.json"));
    expect(furtherMetrics).toMatchObject([{ id: "mine/steady", memory: { state: "measured" } }]);
  });
});
