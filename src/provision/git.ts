/** Git, as far as sides need it: read-only in the user's repository. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const OUTPUT_MAX_BYTES = 64 * 1024 * 1024;
/** No hook of the user's runs on a checkout of ours, and git asks nobody. */
const OWN = ["-c", "core.hooksPath=/dev/null", "-c", "advice.detachedHead=false"];

/**
 * Runs git and gives its standard output without the last line end.
 * @throws Error with git's own words
 */
export async function git(cwd: string, ...args: readonly string[]): Promise<string> {
  // Set inside hooks: they would point every command at the user's repository and index.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")));
  try {
    const options = { cwd, maxBuffer: OUTPUT_MAX_BYTES, env: { ...env, GIT_TERMINAL_PROMPT: "0" } };
    const { stdout } = await run("git", [...OWN, ...args], options);
    return stdout.replace(/\n$/, "");
  } catch (error) {
    const { stderr = "", message } = error as Error & { readonly stderr?: string };
    throw new Error(stderr.trim() === "" ? message : stderr.trim());
  }
}
