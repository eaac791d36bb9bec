/** Runs the committed bundle as a user does. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ROOT } from "./root.js";

export interface Invoked {
  readonly pid: number;
  readonly ended: Promise<{ readonly code: number | null; readonly stdout: string; readonly stderr: string }>;
  /** Resolves when the text has been printed. */
  printed(text: string | RegExp): Promise<void>;
}

export interface InvokeOptions {
  readonly entry?: string;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** Starts `node dist/cli.js ...args`. Everything it starts carries the marker, so that a test can look for leftovers. */
export function invoke(args: readonly string[], options: InvokeOptions = {}): Invoked {
  const child = spawn(process.execPath, [join(ROOT, "dist", options.entry ?? "cli.js"), ...args], {
    cwd: options.cwd ?? ROOT,
    env: { ...process.env, ...options.env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let stdout = "";
  let stderr = "";
  const watchers = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    for (const watcher of watchers) watcher();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, stdout, stderr }));
  return {
    pid: child.pid ?? 0,
    ended,
    async printed(text) {
      const found = new Promise<void>((resolve) => {
        const watcher = () => {
          if (typeof text === "string" ? stdout.includes(text) : text.test(stdout)) resolve();
        };
        watchers.add(watcher);
        watcher();
      });
      const early = ended.then((end) => {
        throw new Error(`ended (${end.code}) before it printed ${text}:\n${end.stdout}\n${end.stderr}`);
      });
      await Promise.race([found, early]);
      early.catch(() => {});
    },
  };
}

const folders: string[] = [];

/** Called after the last test of each file: files share this module. */
export function removeTempFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

/** Gone after the last test of the file. */
export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "server-bench-test-"));
  folders.push(folder);
  return folder;
}

/** Processes whose environment or command line has the text. */
export function processesWith(text: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return (
          readFileSync(`/proc/${pid}/environ`, "utf8").includes(text) ||
          readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(text)
        );
      } catch {
        return false;
      }
    })
    .map(Number);
}
