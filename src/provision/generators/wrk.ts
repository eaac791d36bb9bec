/** wrk, the load generator of older pages: from PATH alone. It has no releases to download, and Debian has a package. */
import { messageOf, SetupError } from "../../errors.js";
import { openContext, type ProvisionOptions } from "../context.js";
import { findOnPath } from "../tools/find-on-path.js";
import { runTool } from "../tools/run-tool.js";
import { isAtLeast, parseVersion } from "../tools/version.js";
import type { Tool } from "../types.js";

/** The oldest one that is used: the one that this project was tried with, and that Debian 12 and Ubuntu 22.04 have. */
const WRK_VERSION = "4.1.0";
/** `wrk -v` takes milliseconds; a program that hangs there is not wrk. */
const VERSION_TIMEOUT_SEC = 10;
/** It shows its version and usage, and ends as after a wrong option. */
const VERSION_EXIT_CODES = [0, 1];
const REMEDY = `wrk ${WRK_VERSION} or newer is needed: apt-get install wrk`;

/** @throws SetupError where it is missing, too old, or does not run; the reason of the run's signal. */
export async function provideWrk(options: ProvisionOptions): Promise<Tool> {
  const context = await openContext(options);
  const failed = (reason: string): SetupError => {
    const message = `no load generator: ${reason}; ${REMEDY}`;
    context.progress.failed("wrk", message);
    return new SetupError(message);
  };
  const path = await findOnPath("wrk", context.env);
  if (path === undefined) throw failed("there is no wrk on PATH");
  const output = await runTool(context, {
    step: "asking wrk for its version",
    command: [path, "-v"],
    remedy: () => REMEDY,
    timeoutSec: VERSION_TIMEOUT_SEC,
    exitCodes: VERSION_EXIT_CODES,
  }).catch((error: unknown) => {
    context.run.signal.throwIfAborted();
    context.progress.failed("wrk", messageOf(error));
    throw error;
  });
  const version = parseVersion(/^wrk\b.*/m.exec(output)?.[0] ?? "");
  if (version === undefined) throw failed(`${path} -v prints no version`);
  if (!isAtLeast(version, WRK_VERSION)) throw failed(`${path} is ${version}`);
  context.progress.finished(`wrk ${version}`, { seconds: 0, detail: path, reused: true });
  return { path, version };
}
