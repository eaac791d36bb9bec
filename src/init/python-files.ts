/** What Python itself reads in a project's Python files (python-apps/inspect/find_apps.py). Nothing of them is run. */
import * as v from "valibot";

const text = v.string();

const fileSchema = v.object({
  /** `app = flask.Flask(__name__)` at the left edge. */
  calls: v.array(v.object({ name: text, called: text, line: v.number() })),
  functions: v.array(
    v.object({
      name: text,
      async: v.boolean(),
      /** Those that can be given by their position. */
      parameters: v.array(text),
      /** How many have no default. */
      required: v.number(),
      /** What it calls, in the order of its lines: `flask.Flask`. */
      calls: v.array(text),
      line: v.number(),
    }),
  ),
});
const filesSchema = v.record(text, v.nullable(fileSchema));

export type PythonFile = v.InferOutput<typeof fileSchema>;
/** By path, relative to the project's folder; null for a file that Python cannot read. */
export type PythonFiles = Readonly<v.InferOutput<typeof filesSchema>>;

/** @throws Error for anything but the script's output */
export function parsePythonFiles(output: string): PythonFiles {
  return v.parse(filesSchema, JSON.parse(output));
}

/** The script's input. */
export function pythonSources(files: ReadonlyMap<string, string>): Record<string, string> {
  return Object.fromEntries([...files].filter(([file]) => file.endsWith(".py")));
}
