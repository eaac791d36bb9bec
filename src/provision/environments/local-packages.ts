/** The distributions of an environment that were installed from a folder or a file of this machine. */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/**
 * Their names, sorted, as the folders of their metadata have them. Installers note there where a distribution came from
 * (packaging.python.org, "Recording the Direct URL Origin").
 * @param venv the virtual environment
 */
export async function localPackages(venv: string): Promise<string[]> {
  const names: string[] = [];
  for (const python of await namesIn(join(venv, "lib"))) {
    const site = join(venv, "lib", python, "site-packages");
    for (const metadata of await namesIn(site)) {
      const [, name] = /^([^-]+)-[^-]+\.dist-info$/.exec(metadata) ?? [];
      if (name !== undefined && (await isLocal(join(site, metadata, "direct_url.json")))) names.push(name);
    }
  }
  return names.sort();
}

async function isLocal(path: string): Promise<boolean> {
  const text = await readFile(path, "utf8").catch(() => "");
  return /"url"\s*:\s*"file:/.test(text);
}

async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch(() => []);
}
