/** Folders that earlier runs wrote their results to: nothing is built or run from them. */
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { SCHEMA_NAME } from "../../results/schema.js";

const RESULTS_FILE = "results.json";
/** The name of the schema is in the first line after the brace. */
const RESULTS_HEAD_BYTES = 200;

/**
 * The files that lie in none of them.
 * @param names of files, relative to `folder`
 * @param encoding of these names, which need not be UTF-8
 */
export async function withoutResults(
  folder: string,
  names: readonly string[],
  encoding: "utf8" | "latin1" = "utf8",
): Promise<string[]> {
  const found: string[] = [];
  for (const name of names) {
    if (!name.endsWith(`/${RESULTS_FILE}`)) continue;
    const path = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, encoding)]);
    // What cannot be read, such as a link to nowhere, is none.
    if (await isResultsFile(path).catch(() => false)) found.push(`${dirname(name)}/`);
  }
  return names.filter((name) => !found.some((results) => name.startsWith(results)));
}

async function isResultsFile(path: Buffer): Promise<boolean> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(RESULTS_HEAD_BYTES), 0, RESULTS_HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead).includes(`"schema": "${SCHEMA_NAME}"`);
}
