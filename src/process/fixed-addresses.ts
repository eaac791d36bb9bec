/** Whether Linux lets servers have the same addresses in memory in every start. */
import { execFile } from "node:child_process";
import { FIX_ADDRESSES } from "./supervisor.js";

const PROBE = `${FIX_ADDRESSES}
import sys
sys.exit(0 if fix_addresses(int(sys.argv[1])) else 1)
`;

/** @param stackBytes the limit that would be set @returns false also where there is no Python */
export async function canFixAddresses(stackBytes: number, env: NodeJS.ProcessEnv): Promise<boolean> {
  return await new Promise((resolve) => {
    const { PATH } = env;
    execFile("python3", ["-I", "-S", "-c", PROBE, String(stackBytes)], { env: { PATH }, cwd: "/" }, (error) =>
      resolve(error === null),
    );
  });
}
