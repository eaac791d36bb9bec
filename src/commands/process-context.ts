import { join, relative } from "node:path";

/** Folders, environment and streams of the process that a command runs in. Tests give their own. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface ProcessContext {
  /** Folder of the tool: scenarios/, python-apps/, package.json. */
  readonly root: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
  /** For questions; without it, or where it is no terminal, none are asked. */
  readonly stdin?: NodeJS.ReadableStream & { readonly isTTY?: boolean };
}

/** Path of dist/cli.js, relative to the current folder. */
export function cliPath({ cwd, root }: Pick<ProcessContext, "cwd" | "root">): string {
  return relative(cwd, join(root, "dist", "cli.js"));
}
