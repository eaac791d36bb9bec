/** Hostile artifacts: each ends in a report and a comment, or in a refusal that names file and field, fast and in little memory. */
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Artifact, LARGE, SMALL } from "../support/hostile-artifacts.js";
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

async function render(artifacts: readonly Artifact[]): Promise<Rendered[]> {
  const files = artifacts.map((_, i) => join(folder, `${i}`, "results.json"));
  for (const [i, file] of files.entries()) {
    await mkdir(dirname(file), { recursive: true });
    const made = artifacts[i]?.[1]();
    await writeFile(file, typeof made === "string" ? made : JSON.stringify(made));
  }
  const args = [`--max-old-space-size=${HEAP_MIB}`, join(folder, "render.mjs"), ...files];
  const { stdout } = await run(process.execPath, args, { timeout: 60_000 });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Rendered);
}

function expectHarmless({ outcome, cpuSec, peakMiB }: Rendered, [name, , refusal]: Artifact): void {
  if (outcome.state === "refused") {
    expect(outcome.message, name).toMatch(/^(results\.json|.*\/results\.json): ./);
    expect(outcome.message.length, name).toBeLessThan(2000);
    expect(outcome.message, name).toMatch(refusal ?? "it is a results file");
  } else {
    expect(refusal, name).toBeUndefined();
    expect(outcome.reportBytes, name).toBeGreaterThan(100);
    expect(outcome.commentBytes, name).toBeGreaterThan(100);
    expect(outcome.commentBytes, name).toBeLessThanOrEqual(COMMENT_BYTES);
  }
  expect(cpuSec, name).toBeLessThan(CPU_SEC);
  expect(peakMiB, name).toBeLessThan(PEAK_MIB);
}

describe("a hostile artifact", () => {
  it("that is small ends in a report or a refusal", { timeout: 120_000 }, async () => {
    const rendered = await render(SMALL);
    expect(rendered).toHaveLength(SMALL.length);
    for (const [i, artifact] of SMALL.entries()) expectHarmless(rendered[i] as Rendered, artifact);
  });

  it.each(LARGE.map((artifact) => [artifact[0], artifact] as const))(
    "%s",
    { timeout: 120_000 },
    async (_, artifact) => {
      const [rendered] = await render([artifact]);
      expectHarmless(rendered as Rendered, artifact);
    },
  );
});
