/**
 * Removes the job's tokens from /proc/PID/environ. That file shows the environment that a process was started with, also after
 * it deleted variables from `process.env`. A server under test runs as the same user and can read it.
 *
 * The process replaces itself by one that starts with harmless variables only. execve keeps the process id, so nothing changes
 * for the runner. All variables are passed in an unnamed file on standard input. After that only memory has them.
 */
import { closeSync, fstatSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { devNull, tmpdir } from "node:os";
import { join } from "node:path";
import { messageOf } from "../errors.js";
import { PROXY_VARIABLES, usesProxies } from "../github/proxy.js";

/** The last argument of the process that finds its environment on standard input; no variable can set it. */
const REPLACED = "--environment-on-stdin";
const STDIN = 0;

/** Variables that Node, its libraries and the runner's clean-up read from the environment that a process starts with. */
const STARTS_WITH = [
  ...["PATH", "HOME", "USER", "LOGNAME", "SHELL", "TMPDIR", "TZ", "LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE"],
  ...["LD_LIBRARY_PATH", "NODE_OPTIONS", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR"],
  "RUNNER_TRACKING_ID",
];

/**
 * Call it first, before anything is printed or started. It returns in the new process, or in this one if it cannot be replaced.
 * @returns what to log if the environment stays readable
 */
export function hideEnvironment(): string | undefined {
  if (process.argv.at(-1) === REPLACED) {
    process.argv.pop();
    Object.assign(process.env, receive());
    return undefined;
  }
  if (typeof process.execve !== "function")
    return stillReadable(`Node ${process.versions.node} cannot replace its process, Node 24 can`);
  const argv = [process.execPath, ...process.execArgv, ...process.argv.slice(1), REPLACED];
  try {
    handOver(process.env);
    return process.execve(process.execPath, argv, harmless(process.env));
  } catch (error) {
    emptyStdin();
    return stillReadable(`the process was not replaced: ${messageOf(error)}`);
  }
}

function stillReadable(reason: string): string {
  return `processes of the same user can read this job's tokens in /proc: ${reason}`;
}

function harmless(env: NodeJS.ProcessEnv): Record<string, string> {
  // The address of a proxy may hold a password, so it is passed only if Node needs it at its start.
  const proxies = usesProxies(env) ? ["NODE_USE_ENV_PROXY", ...PROXY_VARIABLES] : [];
  return Object.fromEntries(
    [...STARTS_WITH, ...proxies].flatMap((name) => {
      const value = env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** Opens the file as descriptor 0: a replaced process keeps only the first three. */
function handOver(env: NodeJS.ProcessEnv): void {
  // In the runner's folder: the runner empties it, also if this process is killed before it removes its own.
  const folder = mkdtempSync(join(env.RUNNER_TEMP || tmpdir(), "server-bench-"));
  try {
    closeSync(STDIN);
    const file = openSync(join(folder, "environment"), "wx+", 0o600);
    if (file !== STDIN) throw new Error(`standard input could not be replaced: the file is descriptor ${file}`);
  } finally {
    rmSync(folder, { recursive: true });
  }
  // Written only after its name is gone: under its name the file was always empty.
  writeAll(JSON.stringify(env));
}

function writeAll(text: string): void {
  const bytes = Buffer.from(text);
  for (let done = 0; done < bytes.length; ) done += writeSync(STDIN, bytes, done);
}

/** Reads and closes the file. */
function receive(): Record<string, string> {
  const bytes = Buffer.alloc(fstatSync(STDIN).size);
  for (let done = 0; done < bytes.length; ) {
    const read = readSync(STDIN, bytes, done, bytes.length - done, done);
    if (read === 0) throw new Error("the environment on standard input ended early");
    done += read;
  }
  emptyStdin();
  return JSON.parse(bytes.toString("utf8"));
}

/** No process that is started later inherits a descriptor of the file. */
function emptyStdin(): void {
  try {
    closeSync(STDIN);
  } catch {
    // It was closed already, and nothing was opened in its place.
  }
  openSync(devNull, "r");
}
