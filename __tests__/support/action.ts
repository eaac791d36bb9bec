/** Starts the action's bundle as a runner does: inputs in the environment, outputs and summary in files. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { invoke, tempFolder } from "./cli.js";

export interface ActionOptions {
  /** The workspace; default: an empty folder. */
  readonly cwd?: string;
  /** What git finds at the address of the job's repository; default: nothing. */
  readonly repository?: string;
  /** GITHUB_* and ACTIONS_* of the job; default: none. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The address of the double's repository: it is GitHub's, where no test looks. */
const HERE = "https://github.com/acme/server";
const NOWHERE = "https://github.invalid/acme/server";

export function startAction(inputs: Readonly<Record<string, string>>, options: ActionOptions = {}) {
  const folder = tempFolder();
  const files = {
    GITHUB_OUTPUT: join(folder, "output"),
    GITHUB_STEP_SUMMARY: join(folder, "summary"),
    GITHUB_ENV: join(folder, "env"),
  };
  for (const file of Object.values(files)) writeFileSync(file, "");
  const gitConfig = join(folder, "gitconfig");
  writeFileSync(
    gitConfig,
    `[include]\npath = ~/.gitconfig\n[url "${options.repository ?? NOWHERE}"]\ninsteadOf = ${HERE}\n`,
  );
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
      GIT_CONFIG_GLOBAL: gitConfig,
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
    get outputs(): Readonly<Record<string, string>> {
      return Object.fromEntries(
        [...text("GITHUB_OUTPUT").matchAll(/^([\w-]+)<<(\S+)\n([\s\S]*?)\n\2$/gm)].map(
          ([, name = "", , value = ""]) => [name, value],
        ),
      );
    },
  };
}
