/** In a process of its own: the settings are those of the whole process. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { buildSync } from "esbuild";
import { expect, it } from "vitest";
import { ROOT } from "../support/workflows.js";

/** Keeps some MiB at a time, and replaces them many times; prints the MiB of both generations. */
const WORK = `
let kept = [];
const most = { new_space: 0, old_space: 0 };
for (let i = 0; i < 4_000_000; i += 1) {
  const one = { i, text: \`row \${i}\`, share: i / 3 };
  if (i % 8 === 0) kept.push(one);
  if (kept.length > 100_000) kept = kept.slice(50_000);
  if (i % 10_000 === 0)
    for (const { space_name: name, physical_space_size: bytes } of getHeapSpaceStatistics())
      if (name in most) most[name] = Math.max(most[name], bytes / 2 ** 20);
}
console.log(JSON.stringify({ young: most.new_space, old: most.old_space }));
if (kept.length === 0) throw new Error("nothing was kept");`;

function heapMiB(small: boolean): { readonly young: number; readonly old: number } {
  const contents = `import { getHeapSpaceStatistics } from "node:v8";
import { keepHeapSmall } from ${JSON.stringify(join(ROOT, "src/process/steady-heap.ts"))};
if (${small}) keepHeapSmall();${WORK}`;
  const stdin = { contents, resolveDir: ROOT, loader: "ts" as const };
  const bundled = buildSync({ stdin, bundle: true, platform: "node", format: "cjs", write: false });
  const [{ text = "" } = {}] = bundled.outputFiles;
  return JSON.parse(execFileSync(process.execPath, ["-e", text], { encoding: "utf8" })) as ReturnType<typeof heapMiB>;
}

it("the heap of a run stays near what it holds", () => {
  const [small, usual] = [heapMiB(true), heapMiB(false)];
  expect(small.young).toBeLessThan(usual.young / 4);
  expect(small.old).toBeLessThan(0.8 * usual.old);
});
