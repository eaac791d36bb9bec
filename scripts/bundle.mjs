/** Bundles TypeScript of this repository for Node. */
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("..", import.meta.url));

/** CommonJS dependencies ask for Node's own modules at run time. */
export const REQUIRE =
  'import{createRequire as __serverBenchRequire}from"node:module";const require=__serverBenchRequire(import.meta.url);';

/**
 * One module with all its imports. The caller owns the folder of `outfile`.
 * @param source `entryPoints` or `stdin` of esbuild, relative to the repository
 */
export async function bundleForNode(source, outfile) {
  await build({
    ...source,
    absWorkingDir: root,
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    target: "node20",
    banner: { js: REQUIRE },
    logLevel: "warning",
  });
}
