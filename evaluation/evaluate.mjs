/**
 * Measures how often verdicts are right: `npm run evaluate -- record|live|report FILE [options]`.
 * docs/method.md says what each command does and what it costs.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundleForNode } from "../scripts/bundle.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

/** Bundles a module of this repository with its imports, and loads it. */
async function load(entry) {
  const temp = await mkdtemp(join(tmpdir(), "server-bench-evaluate-"));
  try {
    const outfile = join(temp, "entry.mjs");
    await bundleForNode({ entryPoints: [entry] }, outfile);
    return await import(pathToFileURL(outfile).href);
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}

const { main } = await load("evaluation/main.ts");
try {
  await main(process.argv.slice(2), root);
} catch (error) {
  if (error?.name !== "InputError") throw error;
  console.error(error.message);
  process.exitCode = 2;
}
