/** oha, the load generator: from PATH, the cache, its GitHub release or its crate, in this order. */
import { openContext, type ProvisionContext, type ProvisionOptions } from "../context.js";
import { type Program, provideProgram } from "../tools/program.js";
import { runTool } from "../tools/run-tool.js";
import { parseVersion } from "../tools/version.js";
import type { Tool } from "../types.js";
import { buildWithCargo } from "./oha-cargo.js";
import { downloadRelease, RELEASE_LIMITS, type ReleaseLimits } from "./oha-release.js";

/** The version that is installed, and the oldest one that is used: the first whose JSON this project was tried with. */
const OHA_VERSION = "1.16.0";
/** `oha --version` takes milliseconds; a program that hangs there is not oha. */
const VERSION_TIMEOUT_SEC = 10;

/**
 * Gives an oha that is new enough, and installs it into the cache where the machine has none.
 * @throws SetupError that lists each way and why it failed; the reason of the run's signal.
 */
export async function provideOha(options: ProvisionOptions, limits: ReleaseLimits = RELEASE_LIMITS): Promise<Tool> {
  return provideProgram(await openContext(options), oha(limits));
}

function oha(limits: ReleaseLimits): Program {
  return {
    name: "oha",
    version: OHA_VERSION,
    versionOf,
    ways: [
      {
        name: "GitHub release",
        install: async (context, request) => {
          const { path, origin } = await downloadRelease(context, request, limits);
          return { path, origin, leftover: path };
        },
      },
      {
        name: "cargo",
        note: "building it with cargo takes minutes",
        install: async (context, request) => {
          const { path, origin, root } = await buildWithCargo(context, request);
          return { path, origin, leftover: root };
        },
      },
    ],
    wayOut:
      "put oha on PATH (a program from https://github.com/hatoo/oha/releases), or install Rust (https://rustup.rs) " +
      "so that it can be built",
  };
}

/** The version that it tells itself. @throws Error when it does not run. */
async function versionOf(context: ProvisionContext, path: string): Promise<string> {
  const output = await runTool(context, {
    step: "asking oha for its version",
    command: [path, "--version"],
    wayOut: () => "it does not run on this machine",
    timeoutSec: VERSION_TIMEOUT_SEC,
  });
  const version = parseVersion(output);
  if (version === undefined) throw new Error(`${path} --version does not tell a version`);
  return version;
}
