/** Where uv keeps its downloads. */
import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { homeFolder } from "../../surroundings.js";

/** Variables with which uv uses its own folder below the home or, where that cannot be written, one in our cache. */
export async function withUvCache(env: NodeJS.ProcessEnv, cache: string): Promise<NodeJS.ProcessEnv> {
  if (env.UV_CACHE_DIR) return env;
  const home = homeFolder(env);
  const folder = env.XDG_CACHE_HOME || (home && join(home, ".cache"));
  return folder && (await canMake(join(folder, "uv"))) ? env : { ...env, UV_CACHE_DIR: join(cache, "uv-cache") };
}

/** Whether the folder is there, or can be made, for this user to write. */
async function canMake(folder: string): Promise<boolean> {
  const found = await stat(folder).catch(() => undefined);
  if (found === undefined && dirname(folder) !== folder) return await canMake(dirname(folder));
  if (!found?.isDirectory()) return false;
  return await access(folder, constants.W_OK | constants.X_OK).then(
    () => true,
    () => false,
  );
}
