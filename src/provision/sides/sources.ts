/** Which files beside those that git tracks can hold source: nothing is built or run from the others. */
import { open } from "node:fs/promises";
import { dirname } from "node:path";
import { SCHEMA_NAME } from "../../results/schema.js";

const RESULTS_FILE = "results.json";
/** The name of the schema is in the first line after the brace. */
const RESULTS_HEAD_BYTES = 200;

/** What setuptools leaves in a project that it builds. */
const SETUPTOOLS = /(^|\/)([^/]+\.egg-info|build\/(bdist\.|lib\.|temp\.)[^/]+|build\/lib)\//;

/**
 * Without repositories that the checkout does not know (their names end with a slash), what setuptools leaves, and the folders that
 * earlier runs wrote their results to.
 * @param names of files that git does not track, relative to `folder`
 * @param encoding of these names, which need not be UTF-8
 */
export async function possibleSources(
  folder: string,
  names: readonly string[],
  encoding: "utf8" | "latin1" = "utf8",
): Promise<string[]> {
  const results: string[] = [];
  for (const name of names) {
    if (!name.endsWith(`/${RESULTS_FILE}`)) continue;
    const path = Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(name, encoding)]);
    // What cannot be read, such as a link to nowhere, is none.
    if (await isResultsFile(path).catch(() => false)) results.push(`${dirname(name)}/`);
  }
  const isOutput = (name: string) => SETUPTOOLS.test(name) || results.some((written) => name.startsWith(written));
  return names.filter((name) => !name.endsWith("/") && !isOutput(name));
}

async function isResultsFile(path: Buffer): Promise<boolean> {
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(RESULTS_HEAD_BYTES), 0, RESULTS_HEAD_BYTES, 0);
  return buffer.subarray(0, bytesRead).includes(`"schema": "${SCHEMA_NAME}"`);
}
