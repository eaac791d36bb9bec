/** Writes the results file so that whoever reads it, at any time, finds a whole and valid one. */
import { randomUUID } from "node:crypto";
import { open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { SetupError } from "../errors.js";
import { checkResults } from "./check.js";
import type { Results } from "./schema.js";

/**
 * Replaces `file` atomically: a sibling is written, flushed to the disk and renamed over it.
 * The folder must exist.
 * @throws Error when the results break their own schema (a defect: nothing is written)
 * @throws SetupError when the disk refuses; the earlier file stays
 */
export async function writeResults(file: string, results: Results): Promise<void> {
  const checked = checkResults(results);
  if (checked.state === "invalid") throw new Error(`refused to write ${file}: ${checked.problems.join("; ")}`);
  await replaceFile(file, formatResults(checked.results));
}

/** JSON with what fits on a line on one line: readable, and a third of the size of the indented form. */
export function formatResults(results: Results): string {
  return `${format(results, "")}\n`;
}

const LINE_WIDTH = 120;

function format(value: unknown, indent: string): string {
  const flat = JSON.stringify(value);
  if (typeof value !== "object" || value === null || flat.length + indent.length <= LINE_WIDTH) return flat;
  const inner = `${indent}  `;
  const [opening, closing] = Array.isArray(value) ? "[]" : "{}";
  const items = Array.isArray(value)
    ? value.map((item) => format(item, inner))
    : Object.entries(value)
        .filter(([, item]) => item !== undefined)
        .map(([key, item]) => `${JSON.stringify(key)}: ${format(item, inner)}`);
  return `${opening}\n${items.map((item) => inner + item).join(",\n")}\n${indent}${closing}`;
}

async function replaceFile(file: string, text: string): Promise<void> {
  // In the same folder, because a rename is atomic within one file system only.
  const sibling = join(dirname(file), `.${basename(file)}.${randomUUID()}.tmp`);
  try {
    const handle = await open(sibling, "wx");
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(sibling, file);
  } catch (error) {
    await rm(sibling, { force: true }).catch(() => undefined);
    const detail = error instanceof Error ? error.message : String(error);
    throw new SetupError(
      `cannot write ${file}: ${detail}: check that its folder exists, is writable and has space left`,
    );
  }
}
