/** A project's Python files -> what Python itself reads in them. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProjectFiles } from "../../init/project.js";
import { type PythonFiles, parsePythonFiles, pythonSources } from "../../init/python-files.js";
import { openContext } from "../../provision/context.js";
import { defaultPython, requestedPython } from "../../provision/environments/python.js";
import { runTool, ToolError } from "../../provision/tools/run-tool.js";
import { provideUv } from "../../provision/tools/uv.js";
import type { Display } from "../display.js";
import type { ProcessContext } from "../process-context.js";
import { Session } from "../session.js";

/** Five thousand files of two MiB each take longer; nobody has them. */
const LIMIT_SEC = 120;

/** @throws SetupError where there is no Python; the reason of an interrupt */
export async function readPython(
  files: ProjectFiles,
  requested: string | undefined,
  { env, root }: Pick<ProcessContext, "env" | "root">,
  { setup: progress }: Display,
): Promise<PythonFiles> {
  const sources = pythonSources(files);
  if (Object.keys(sources).length === 0) return {};
  // Closed before anybody is asked anything: a question ends with Ctrl-C.
  await using session = await Session.open(env);
  const context = await openContext({ run: session.context, env: { ...env }, progress });
  const asked =
    requested === undefined ? undefined : await requestedPython(context, requested, () => provideUv(context));
  const { executable } = asked?.state === "found" ? asked.python : await defaultPython(context);
  const input = join(session.context.tempDir, "sources.json");
  await writeFile(input, JSON.stringify(sources));
  try {
    const output = await runTool(context, {
      step: "reading the project's Python files",
      command: [executable, "-I", "-S", join(root, "python-apps", "inspect", "find_apps.py"), input],
      remedy: () => "--app MODULE:OBJECT names the app",
      limitSec: LIMIT_SEC,
    });
    return parsePythonFiles(output);
  } catch (error) {
    session.context.signal.throwIfAborted();
    if (!(error instanceof ToolError)) throw error;
    return Object.fromEntries(Object.keys(sources).map((file) => [file, null]));
  }
}
