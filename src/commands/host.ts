import { join, relative } from "node:path";

/** What a command gets of the process it runs in, so that tests can give it their own. */
export interface Output {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
}

export interface Host {
  /** Folder of the tool: scenarios/, python-apps/, package.json. */
  readonly root: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Output;
  readonly stderr: Output;
}

/** Of the command line, as it is reached from the current folder. */
export function cliPath({ cwd, root }: Pick<Host, "cwd" | "root">): string {
  return relative(cwd, join(root, "dist", "cli.js"));
}
