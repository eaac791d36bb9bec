/** oha, the load generator: from PATH, the cache, its GitHub release or its crate, in this order. */
import { openContext, type ProvisionOptions } from "../context.js";
import { printedVersion } from "../tools/printed-version.js";
import { type Program, provideProgram } from "../tools/program.js";
import type { Tool } from "../types.js";
import { buildWithCargo } from "./oha-cargo.js";
import { downloadRelease, OHA_RELEASE, OHA_VERSION, type OhaRelease } from "./oha-release.js";

/**
 * Gives an oha that is new enough, and installs it into the cache where the machine has none.
 * @throws SetupError that lists each method and why it failed; the reason of the run's signal.
 */
export async function provideOha(options: ProvisionOptions, release: OhaRelease = OHA_RELEASE): Promise<Tool> {
  return provideProgram(await openContext(options), oha(release));
}

function oha(release: OhaRelease): Program {
  return {
    name: "oha",
    version: OHA_VERSION,
    versionOf: (context, path) => printedVersion(context, "oha", path),
    digests: Object.values(release.assets).map(({ sha256 }) => sha256),
    methods: [
      {
        name: "GitHub release",
        failed: "the release could not be downloaded",
        install: async (context, request) => {
          const { path, origin } = await downloadRelease(context, request, release);
          return { path, origin, leftover: path };
        },
      },
      {
        name: "cargo",
        needs: "cargo",
        announcement: "building it with cargo, about 3 min",
        failed: "cargo could not build it",
        install: async (context, request) => {
          const { path, origin, root } = await buildWithCargo(context, request);
          return { path, origin, leftover: root };
        },
      },
    ],
    remedy:
      "put oha on PATH (a program from https://github.com/hatoo/oha/releases), or install Rust (https://rustup.rs) " +
      "so that it can be built",
  };
}
