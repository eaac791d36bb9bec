/**
 * Measures how often verdicts are right: `npm run evaluate -- record|report FILE [options]`.
 * evaluation/README.md says what each command does and what it costs.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundleForNode } from "../scripts/bundle.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Bundles a module of this repository with its imports. Its file is there as long as `use` runs. */
async function withBundle(entry, use) {
  const temp = await mkdtemp(join(tmpdir(), "server-bench-evaluate-"));
  try {
    const outfile = join(temp, "entry.mjs");
    await bundleForNode({ entryPoints: [entry] }, outfile);
    return await use(outfile);
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}

const { main } = await withBundle("evaluation/main.ts", (file) => import(pathToFileURL(file).href));
try {
  await main(process.argv.slice(2), root, (use) => withBundle("evaluation/resample/worker.ts", use));
} catch (error) {
  if (error?.name !== "InputError") throw error;
  console.error(error.message);
  process.exitCode = 2;
}
