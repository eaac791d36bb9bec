/** `run --profile-rows`: real py-spy on rows of real servers. What it finds does not depend on what runs beside it. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readResults } from "../../src/results/read.js";
import { runIn } from "../support/own-set.js";

const TIMEOUT_MS = 300_000;

function app(turns: number): string {
  return `def planted(count):
    total = 0
    for one in range(count):
        total += one
    return total


async def app(scope, receive, send):
    planted(${turns})
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
    await send({"type": "http.response.body", "body": b"Hello"})
`;
}

describe("run --profile-rows", { timeout: TIMEOUT_MS }, () => {
  it("finds what is slow under uvicorn and granian, and writes its stacks", async () => {
    const temp = mkdtempSync(join(tmpdir(), "server-bench-test-"));
    try {
      const requests = "requests:\n  greeting: { path: /, expect: { body: { text: Hello } } }\n";
      const rows = ["uvicorn", "granian"].map((name) => `  - { title: ${name}, server: ${name} }\n`).join("");
      const defaults = "defaults: { request: greeting, connections: 16, app: planted }";
      for (const [name, turns] of [
        ["base", 0],
        ["head", 1500],
      ] as const) {
        for (const folder of ["bench", "planted"]) mkdirSync(join(temp, name, folder), { recursive: true });
        const apps = "apps:\n  planted: { interface: asgi, path: ../planted }\n";
        writeFileSync(join(temp, name, "bench/servers.yml"), apps + requests);
        writeFileSync(join(temp, name, "bench/mine.yml"), `title: Mine\nlabel: Server\n${defaults}\nrows:\n${rows}`);
        writeFileSync(join(temp, name, "planted/app.py"), app(turns));
      }
      const out = join(temp, "out");
      const base = ["--base", join(temp, "base"), "--budget", "0.4", "--profile-rows", "mine"];
      const { code, output, errors } = await runIn(join(temp, "head"), out, "mine", "--scenarios", "bench", ...base);
      expect(code, output + errors).toBe(0);
      expect(output).toMatch(/^profile of mine\/uvicorn \(c16\): planted \(app\.py:1\) \+/m);
      const { profiles = [] } = await readResults(join(out, "results.json"));
      const sampled = profiles.map((one) => [one.id, one.state === "sampled" ? one.functions[0]?.name : one.reason]);
      expect(sampled.sort()).toEqual([
        ["mine/granian", "planted"],
        ["mine/uvicorn", "planted"],
      ]);
      const names = readdirSync(join(out, "profiles")).sort();
      expect(names).toEqual(
        ["mine__granian-c16", "mine__uvicorn-c16"].flatMap((name) =>
          ["base.txt", "head.txt", "speedscope.json"].map((end) => `${name}.${end}`),
        ),
      );
      const text = readFileSync(join(out, "profiles/mine__uvicorn-c16.head.txt"), "utf8");
      // No path of this machine's cache or checkout is left.
      expect(text).not.toContain(temp);
      expect(text).not.toContain("site-packages");
      expect(readFileSync(join(out, "index.html"), "utf8").match(/<svg class="flame"/g)).toHaveLength(2);
    } finally {
      rmSync(temp, { recursive: true, force: true });
    }
  });
});
