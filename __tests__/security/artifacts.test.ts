/** Hostile artifacts: each ends in a report and a comment, or in a refusal that names file and field, fast and in little memory. */
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ARTIFACTS } from "../support/hostile-artifacts.js";
import type { Rendered } from "../support/render-artifact.js";

/** CPU time, which a busy machine does not lengthen as it lengthens wall time. Half a second of it is node's own start. */
const CPU_SEC = 6;
const PEAK_MIB = 256;
/** Without a limit, node collects garbage later than it could. */
const HEAP_MIB = 128;
const COMMENT_BYTES = 65_000;

const run = promisify(execFile);
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "server-bench-artifacts-"));
  await build({
    entryPoints: [fileURLToPath(new URL("../support/render-artifact.ts", import.meta.url))],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: join(folder, "render.mjs"),
    logLevel: "error",
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function render(text: string): Promise<Rendered> {
  const file = join(folder, "results.json");
  await writeFile(file, text);
  const args = [`--max-old-space-size=${HEAP_MIB}`, join(folder, "render.mjs"), file];
  const { stdout } = await run(process.execPath, args, { timeout: 60_000 });
  return JSON.parse(stdout) as Rendered;
}

describe("a hostile artifact", () => {
  it("is one of a hundred", () => {
    expect(ARTIFACTS.length).toBeGreaterThanOrEqual(100);
    expect(new Set(ARTIFACTS.map(({ name }) => name)).size).toBe(ARTIFACTS.length);
  });

  it.each(ARTIFACTS.map((artifact) => [artifact.name, artifact] as const))(
    "%s",
    { timeout: 120_000 },
    async (_, { text, refusal }) => {
      const { outcome, cpuSec, peakMiB } = await render(text());
      if (outcome.state === "refused") {
        expect(outcome.message).toMatch(/^(results\.json|.*\/results\.json): ./);
        expect(outcome.message.length).toBeLessThan(2000);
        expect(outcome.message).toMatch(refusal ?? "it is a results file");
      } else {
        expect(refusal?.source ?? ".").toBe(".");
        expect(outcome.reportBytes).toBeGreaterThan(100);
        expect(outcome.commentBytes).toBeGreaterThan(100);
        expect(outcome.commentBytes).toBeLessThanOrEqual(COMMENT_BYTES);
      }
      expect(cpuSec).toBeLessThan(CPU_SEC);
      expect(peakMiB).toBeLessThan(PEAK_MIB);
    },
  );
});
