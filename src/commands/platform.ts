/** Where measurements are possible. */
import { SetupError } from "../errors.js";

const NAMES: Readonly<Record<string, string>> = { darwin: "macOS", win32: "Windows" };

/** Before anything is planned or installed. @throws SetupError on another system than Linux */
export function checkPlatform(command: string, platform: string = process.platform): void {
  if (platform === "linux") return;
  throw new SetupError(
    `${command} needs Linux, and this is ${NAMES[platform] ?? platform}: it keeps server and load generator on separate CPUs and reads /proc; use a Linux machine, a container or a hosted runner (list, plan, report, compare, history and release --results run here)`,
  );
}
