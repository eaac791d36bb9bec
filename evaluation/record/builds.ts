/** Clean builds: each one has its own copy of the app, its own checkouts and its own environments, built afresh. */
import { copyFile, cp, mkdir, stat, symlink, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { basename, join } from "node:path";
import { planRun, rowsOf } from "../../src/plan/plan.js";
import type { PlannedRow } from "../../src/plan/types.js";
import type { RunContext } from "../../src/process/run.js";
import { cacheRoot } from "../../src/provision/cache/cache.js";
import { environmentKey } from "../../src/provision/environments/key.js";
import { provision } from "../../src/provision/provision.js";
import type { ReadyEnvironment } from "../../src/provision/types.js";
import { SERVERS_FILE, SET, scenario, subjectNamed } from "./subjects.js";

export interface BuildOptions {
  /** The repository, which holds scenarios/. */
  readonly root: string;
  readonly servers: readonly string[];
  /** Server of servers.yml -> folder of its source; the others come from the package index. */
  readonly checkouts: ReadonlyMap<string, string>;
  readonly env: NodeJS.ProcessEnv;
  readonly run: RunContext;
  readonly say: (line: string) => void;
}

/** One side can be any build. */
export interface Build {
  readonly id: string;
  /** By the name of a recorded server. */
  readonly sides: ReadonlyMap<string, { readonly row: PlannedRow; readonly ready: ReadyEnvironment }>;
}

/**
 * @param folder the build's own; made here. Folders of equal length give paths of equal length
 * @throws when a server cannot be installed
 */
export async function makeBuild(folder: string, options: BuildOptions): Promise<Build> {
  const { root, servers, run, say } = options;
  const env = await privateCache(join(folder, "cache"), options.env);
  await copyFile(join(root, "evaluation/record/app.py"), join(folder, "app.py"));
  await writeFile(join(folder, "servers.yml"), SERVERS_FILE);
  await writeFile(join(folder, `${SET}.yml`), scenario(servers));
  const rows = await planned(folder, await copyCheckouts(folder, options), options);
  const { environments } = await provision(rows, { run, env, progress: progressLines(say) });
  const sides = rows.map((row) => {
    const ready = environments.get(environmentKey(row.environment));
    if (ready?.state !== "ready") throw new Error(`${row.title}: ${ready?.reason ?? "no environment"}`);
    return [row.title, { row, ready }] as const;
  });
  return { id: basename(folder), sides: new Map(sides) };
}

/** Programs without a part in the builds come from the usual cache. */
const SHARED_PROGRAMS = ["oha", "uv"];

/** A cache of its own, so that builds are new. @returns variables with which the tool uses it */
async function privateCache(folder: string, env: NodeJS.ProcessEnv): Promise<NodeJS.ProcessEnv> {
  await mkdir(folder, { recursive: true });
  for (const program of SHARED_PROGRAMS) {
    const usual = join(cacheRoot(env), program);
    if (await stat(usual).catch(() => undefined)) await symlink(usual, join(folder, program), "dir");
  }
  return { ...env, SERVER_BENCH_CACHE: folder };
}

async function copyCheckouts(folder: string, { servers, checkouts }: BuildOptions): Promise<string[]> {
  const specs: string[] = [];
  for (const server of new Set(servers.map((name) => subjectNamed(name).server))) {
    const source = checkouts.get(server);
    if (source === undefined) continue;
    const copy = join(folder, "source", server);
    await cp(source, copy, { recursive: true });
    specs.push(`${server}=${copy}`);
  }
  return specs;
}

async function planned(folder: string, servers: readonly string[], { root }: BuildOptions): Promise<PlannedRow[]> {
  const plan = await planRun({
    root,
    cwd: folder,
    scenarios: folder,
    profile: "quick",
    cores: availableParallelism(),
    selectors: [SET],
    servers,
  });
  return [...rowsOf(plan)];
}

export function progressLines(say: (line: string) => void) {
  return {
    started: (step: string) => say(`setup  ${step} ...`),
    update: () => {},
    finished: () => {},
    failed: (step: string, reason: string) => say(`setup  ${step} FAILED: ${reason}`),
    note: say,
  };
}
