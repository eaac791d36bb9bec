/** ghz, the load generator for gRPC: from PATH, the cache, or its Go module, in this order. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { duration } from "../../messages/duration.js";
import { discard, temporarySibling } from "../cache/cache.js";
import { openContext, type ProvisionContext, type ProvisionOptions, secondsSince } from "../context.js";
import { versionOutput } from "../tools/printed-version.js";
import { type InstallRequest, type Program, provideProgram } from "../tools/program.js";
import { runTool } from "../tools/run-tool.js";
import { parseVersion } from "../tools/version.js";
import type { Tool } from "../types.js";

/** The version that is installed, and the oldest one that is used: the one whose JSON this project was tried with. */
const GHZ_VERSION = "0.120.0";
const MODULE = "github.com/bojand/ghz";
const UPDATE_MS = 1000;

const GHZ: Program = {
  name: "ghz",
  version: GHZ_VERSION,
  versionOf,
  digests: [],
  methods: [{ name: "go", needs: "go", failed: "Go could not build it", install: buildWithGo }],
  remedy: `put ghz on PATH (a program from https://${MODULE}/releases), or install Go (https://go.dev/dl, or apt-get install golang) so that it can be built`,
};

/**
 * Gives a ghz that is new enough, and builds it into the cache where the machine has none (a minute on two cores).
 * @throws SetupError that lists each method and why it failed; the reason of the run's signal.
 */
export async function provideGhz(options: ProvisionOptions): Promise<Tool> {
  return provideProgram(await openContext(options), GHZ);
}

/** The version that it prints, or that Go wrote into it. @throws Error when it does not run. */
async function versionOf(context: ProvisionContext, path: string): Promise<string> {
  const version = parseVersion(await versionOutput(context, "ghz", path)) ?? moduleVersion(await readFile(path));
  if (version === undefined) throw new Error(`${path} prints no version of ghz`);
  return version;
}

/** A ghz of `go install` calls itself "dev"; its build information (debug/buildinfo) has the module's version. */
function moduleVersion(program: Buffer): string | undefined {
  const before = `\nmod\t${MODULE}\tv`;
  const at = program.indexOf(before);
  return at < 0 ? undefined : parseVersion(program.toString("latin1", at + before.length, at + before.length + 50));
}

/** Builds it beside the cache's folder. Go verifies the module against its checksum database. */
async function buildWithGo(
  context: ProvisionContext,
  { step, version, folder }: InstallRequest,
): Promise<{ path: string; origin: string; leftover: string }> {
  const root = temporarySibling(folder);
  const command = ["go", "install", `${MODULE}/cmd/ghz@v${version}`] as const;
  const report = reportBuild(context, step);
  try {
    await runTool(context, {
      step: `building ghz ${version}`,
      command,
      env: { GOBIN: root },
      remedy: goRemedy,
      onLine: report.onLine,
    });
  } catch (error) {
    await discard(root);
    throw error;
  } finally {
    report.stop();
  }
  return { path: join(root, "ghz"), origin: command.join(" "), leftover: root };
}

/** Reports every second how far it is; Go prints its downloads only. */
function reportBuild(context: ProvisionContext, step: string): { onLine: (line: string) => void; stop: () => void } {
  const started = performance.now();
  let modules = 0;
  const update = (): void => {
    const what = modules === 0 ? "building with go" : `building with go, ${modules} modules downloaded`;
    context.progress.update(step, `${what}, ${duration(secondsSince(started))}`);
  };
  const timer = setInterval(update, UPDATE_MS);
  return {
    onLine: (line) => {
      if (line.startsWith("go: downloading ")) modules += 1;
    },
    stop: () => {
      clearInterval(timer);
      update();
    },
  };
}

function goRemedy(log: string): string {
  if (/requires go ?>=|unsupported version|invalid go version|note: module requires Go/i.test(log))
    return "this Go is too old: install a newer one (https://go.dev/dl)";
  if (/dial tcp|i\/o timeout|no such host|connection refused|TLS handshake|checksum database/i.test(log))
    return "the Go module proxy cannot be reached: check the network, or GOPROXY";
  return "see the last lines of its output";
}
