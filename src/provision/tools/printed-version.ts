/** The version that an installed program prints. */
import { SetupError } from "../../errors.js";
import type { ProvisionContext } from "../context.js";
import { runTool } from "./run-tool.js";
import { parseVersion } from "./version.js";

/** `--version` takes milliseconds; what hangs there is another program. */
const VERSION_TIMEOUT_SEC = 10;

/** @param name for messages @throws SetupError where it does not run or prints none */
export async function printedVersion(context: ProvisionContext, name: string, path: string): Promise<string> {
  const version = parseVersion(await versionOutput(context, name, path));
  if (version === undefined) throw new SetupError(`${path} --version prints no version`);
  return version;
}

/** What it prints. @throws SetupError where it does not run */
export async function versionOutput(context: ProvisionContext, name: string, path: string): Promise<string> {
  return await runTool(context, {
    step: `asking ${name} for its version`,
    command: [path, "--version"],
    remedy: () => "it does not run on this machine",
    timeoutSec: VERSION_TIMEOUT_SEC,
  });
}
