/** The action: its bundle as a runner starts it, with inputs in the environment, outputs and summary in files; or in this process. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openActionContext } from "../../src/actions/context.js";
import { readInputs } from "../../src/actions/inputs.js";
import { invoke, tempFolder } from "./cli.js";
import { quickClient } from "./github/client.js";
import type { GitHubDouble } from "./github/double.js";
import { ROOT } from "./root.js";

type Texts = Readonly<Record<string, string>>;

/** The action's context in this process, with these inputs. Its client waits as long as a test can afford. */
export async function openAction(github: GitHubDouble, cwd: string, env: Texts, inputs: Texts) {
  let log = "";
  const stream = { write: (text: string) => (log += text) };
  const context = await openActionContext(
    readInputs((name) => inputs[name] ?? "", cwd),
    { root: ROOT, cwd, env, stdout: stream, stderr: stream },
  );
  return { action: { ...context, github: quickClient(github) }, log: () => log };
}

export interface ActionOptions {
  /** The workspace; default: an empty folder. */
  readonly cwd?: string;
  /** GITHUB_* and ACTIONS_* of the job; default: none. */
  readonly env?: Texts;
}

export function startAction(inputs: Texts, options: ActionOptions = {}) {
  const folder = tempFolder();
  const files = {
    GITHUB_OUTPUT: join(folder, "output"),
    GITHUB_STEP_SUMMARY: join(folder, "summary"),
    GITHUB_ENV: join(folder, "env"),
  };
  for (const file of Object.values(files)) writeFileSync(file, "");
  const workspace = options.cwd ?? join(folder, "work");
  mkdirSync(workspace, { recursive: true });
  const named = Object.fromEntries(
    Object.entries(inputs).map(([name, value]) => [`INPUT_${name.toUpperCase()}`, value]),
  );
  const action = invoke([], {
    entry: "action.js",
    cwd: workspace,
    env: {
      CI: "true",
      RUNNER_TEMP: folder,
      GITHUB_TOKEN: "secret",
      ...options.env,
      ...named,
      ...files,
      GITHUB_WORKSPACE: workspace,
    },
  });
  const text = (file: keyof typeof files) => readFileSync(files[file], "utf8");
  return {
    ...action,
    workspace,
    /** Valid when the action has ended. */
    get summary(): string {
      return text("GITHUB_STEP_SUMMARY");
    },
    get outputs(): Texts {
      return Object.fromEntries(
        [...text("GITHUB_OUTPUT").matchAll(/^([\w-]+)<<(\S+)\n([\s\S]*?)\n\2$/gm)].map(
          ([, name = "", , value = ""]) => [name, value],
        ),
      );
    },
  };
}
