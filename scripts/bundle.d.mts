import type { BuildOptions } from "esbuild";

export const REQUIRE: string;
export function bundleForNode(source: Pick<BuildOptions, "entryPoints" | "stdin">, outfile: string): Promise<void>;
