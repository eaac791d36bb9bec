/** Folders of a checkout that no build reads: edits in them do not install a project anew. */
import { readFile, realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import { isWithin } from "../../is-within.js";
import { checkoutOf } from "../sides/git.js";
import { sourceFiles } from "./source-files.js";

/** Files that say what a build takes. */
const BUILD_FILES =
  "pyproject.toml setup.py setup.cfg MANIFEST.in hatch_build.py build.py Cargo.toml build.rs CMakeLists.txt meson.build";

/**
 * The folder of the scenario files and that of GitHub, without symbolic links. One that holds a package, or that the project's build
 * files name, may be built: it counts.
 * @param scenarios the folder of the user's scenario files
 */
export async function notBuilt(project: string, scenarios: string | undefined): Promise<readonly string[]> {
  const folder = await realpath(project);
  const top = checkoutOf(folder);
  if (top === undefined) return [];
  const named = [join(top, ".github"), ...(scenarios === undefined ? [] : [scenarios])];
  const texts = await Promise.all(
    [folder, top].flatMap((place) => BUILD_FILES.split(" ").map((name) => textOf(join(place, name)))),
  );
  const left: string[] = [];
  for (const one of named) {
    const real = await realpath(one).catch(() => undefined);
    if (real === undefined || !isWithin(top, real) || isWithin(real, folder)) continue;
    if (texts.some((text) => text.includes(basename(real))) || (await holdsPackage(real))) continue;
    left.push(real);
  }
  return left;
}

async function textOf(path: string): Promise<string> {
  return await readFile(path, "utf8").catch(() => "");
}

async function holdsPackage(folder: string): Promise<boolean> {
  const names = await sourceFiles(folder, "run").catch(() => ["__init__.py"]);
  return names.some((name) => basename(name) === "__init__.py");
}
