/** The Python that a project's files name for those who run it: of pyenv, uv and Heroku. */
import { type Found, linesOf } from "../plan/text-places.js";
import type { ProjectFiles } from "./project.js";

/** In this order. */
const PYTHON_FILES: readonly string[] = [".python-version", "runtime.txt"];

/** @returns major and minor version: `3.12`; undefined where no file names a CPython of 3 */
export function namedPython(files: ProjectFiles): Found<string> | undefined {
  for (const file of PYTHON_FILES)
    for (const { value, at } of linesOf(file, files.get(file) ?? "")) {
      const minor = /^\s*(?:(?:c?python)-?)?(3\.\d+)(?:\.\d+)?\s*$/.exec(value)?.[1];
      if (minor !== undefined) return { value: minor, at };
    }
  return undefined;
}
