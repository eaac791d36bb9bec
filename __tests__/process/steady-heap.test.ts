/** In a process of its own: the settings are those of the whole process. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { describe, expect, it } from "vitest";
import { ROOT } from "../support/workflows.js";

/** Allocates 40 times what it keeps; prints the MiB of the young generation. */
const WORK = `
const kept = [];
for (let i = 0; i < 2_000_000; i += 1) {
  const one = { i, text: \`row \${i}\`, share: i / 3 };
  if (i % 40 === 0) kept.push(one);
}
const [{ physical_space_size: bytes }] = getHeapSpaceStatistics().filter(({ space_name }) => space_name === "new_space");
console.log(bytes / 2 ** 20);
if (kept.length === 0) throw new Error("nothing was kept");`;

function youngMiB(small: boolean): number {
  const contents = `import { getHeapSpaceStatistics } from "node:v8";
import { keepHeapSmall } from ${JSON.stringify(join(ROOT, "src/process/steady-heap.ts"))};
if (${small}) keepHeapSmall();${WORK}`;
  const stdin = { contents, resolveDir: ROOT, loader: "ts" as const };
  const bundled = buildSync({ stdin, bundle: true, platform: "node", format: "cjs", write: false });
  const [{ text = "" } = {}] = bundled.outputFiles;
  return Number(execFileSync(process.execPath, ["-e", text], { encoding: "utf8" }));
}

describe("the heap of a run", () => {
  it("keeps a small young generation, whatever is allocated", () => {
    expect(youngMiB(true)).toBeLessThanOrEqual(4);
  });

  it("would grow without that", () => {
    expect(youngMiB(false)).toBeGreaterThanOrEqual(8);
  });
});
