/** A cache, a PATH and a progress of their own for tests of provisioning: real folders, real processes. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { EnvironmentSpec, PlannedRow } from "../../src/plan/types.js";
import { openContext, type ProvisionContext } from "../../src/provision/context.js";

export interface Provisioning {
  readonly root: string;
  /** Folder of the programs on PATH. */
  readonly bin: string;
  readonly context: ProvisionContext;
  readonly abort: AbortController;
  /** Lines of progress, `kind step: text`. */
  readonly progressLines: string[];
  /** Puts a shell script on PATH; programs of the machine are there by absolute path only. */
  readonly program: (name: string, script: string) => Promise<string>;
}

export async function provisioning(env: NodeJS.ProcessEnv = {}): Promise<Provisioning> {
  // A space, because people have them in their paths.
  const root = await mkdtemp(join(tmpdir(), "server bench "));
  onTestFinished(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));
  const bin = join(root, "bin");
  await mkdir(bin);
  const abort = new AbortController();
  const progressLines: string[] = [];
  const context = await openContext({
    run: { id: "test", tempDir: join(root, "run"), signal: abort.signal },
    env: { PATH: bin, HOME: join(root, "home"), SERVER_BENCH_CACHE: join(root, "cache"), ...env },
    progress: {
      started: (step) => progressLines.push(`started ${step}`),
      update: (step, detail) => progressLines.push(`update ${step}: ${detail}`),
      finished: (step, { reused, detail }) =>
        progressLines.push(`${reused ? "reused" : "finished"} ${step}: ${detail ?? ""}`),
      failed: (step, reason) => progressLines.push(`failed ${step}: ${reason}`),
      note: (text) => progressLines.push(`note ${text}`),
    },
  });
  const program = (name: string, script: string): Promise<string> => writeProgram(join(bin, name), script);
  return { root, bin, context, abort, progressLines, program };
}

async function writeProgram(path: string, script: string): Promise<string> {
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

export function environmentSpec(fields: Partial<EnvironmentSpec> = {}): EnvironmentSpec {
  return { server: "six", requires: ["six"], distribution: "six", systemPackages: [], ...fields };
}

/** A row that needs an environment. */
export function rowNeeding(environment: EnvironmentSpec): PlannedRow {
  return {
    id: `set/${environment.server}`,
    set: "set",
    title: environment.server,
    knobs: {},
    server: {
      name: environment.server,
      title: environment.server,
      interface: "wsgi",
      command: [environment.server],
      cwd: "/",
      env: {},
      readyTimeoutSec: 20,
    },
    environment,
    request: {
      name: "get",
      method: "GET",
      path: "/",
      headers: {},
      expect: { status: 200, body: { kind: "text", text: "" } },
    },
    http: 1,
    streams: 1,
    connections: [1],
    timeoutSec: 5,
    waits: false,
    generator: "oha",
    windowSec: 1,
    everyLatency: false,
  };
}
