/** Valgrind on this machine: whether it is there, and new enough. */
import { execFile } from "node:child_process";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { childEnvironment } from "../../process/environment.js";
import type { RunContext } from "../../process/run.js";
import { findOnPath, isProgram } from "../../provision/tools/find-on-path.js";
import { isAtLeast, parseVersion } from "../../provision/tools/version.js";

/** Ubuntu 22.04 has it. */
const OLDEST = "3.18";
const ANSWER_MS = 10_000;

const INSTALL_VALGRIND = "install it with: apt install valgrind";

export interface Valgrind {
  readonly path: string;
  /** It sends commands to a program that runs below Valgrind. */
  readonly vgdb: string;
  /** `3.19.0` */
  readonly version: string;
}
export type FoundValgrind =
  | { readonly state: "found"; readonly valgrind: Valgrind }
  /** In one line, with what to do. */
  | { readonly state: "missing"; readonly reason: string };

/** @throws the run's abort reason */
export async function findValgrind(
  env: NodeJS.ProcessEnv,
  run: Pick<RunContext, "id" | "signal">,
): Promise<FoundValgrind> {
  const path = await findOnPath("valgrind", env);
  if (path === undefined) return missing("there is no valgrind on PATH");
  const version = await versionOf(path, childEnvironment(env, run.id));
  run.signal.throwIfAborted();
  if (version === undefined) return missing(`${path} --version prints no version of Valgrind`);
  if (!isAtLeast(version, OLDEST)) return missing(`Valgrind ${version} (${path}) is older than ${OLDEST}`);
  const beside = join(dirname(path), "vgdb");
  const vgdb = (await isProgram(beside)) ? beside : await findOnPath("vgdb", env);
  return vgdb === undefined
    ? missing(`there is no vgdb next to ${path}`)
    : { state: "found", valgrind: { path, vgdb, version } };
}

function missing(what: string): FoundValgrind {
  return { state: "missing", reason: `${what}; ${INSTALL_VALGRIND}` };
}

async function versionOf(path: string, env: Record<string, string>): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(path, ["--version"], { env, timeout: ANSWER_MS });
    return parseVersion(stdout.replace("valgrind-", ""));
  } catch {
    return undefined;
  }
}
