/** A cache, a PATH and a progress of their own for tests of provisioning: real folders, real processes. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { EnvironmentSpec, PlannedRow } from "../../src/plan/types.js";
import { openContext, type ProvisionContext } from "../../src/provision/context.js";
import { plannedRow } from "./planned-row.js";

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
  const program = (name: string, script: string) => writeProgram(join(bin, name), script);
  return { root, bin, context, abort, progressLines, program };
}

/** A shell script. @returns its path */
export async function writeProgram(path: string, script: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  return path;
}

export function environmentSpec(fields: Partial<EnvironmentSpec> = {}): EnvironmentSpec {
  return { server: "six", requires: ["six"], distribution: "six", systemPackages: [], ...fields };
}

/** A row that needs an environment. */
export function rowNeeding(environment: EnvironmentSpec): PlannedRow {
  const { server: name } = environment;
  return plannedRow(`set/${name}`, { name, interface: "wsgi", command: [name] }, { environment });
}
