/**
 * The files of a folder that count: those that git tracks, and new ones that it does not ignore; all of them where there
 * is no checkout. Paths are strings of bytes (latin1): a name need not be UTF-8.
 */
import { readdir } from "node:fs/promises";
import { join, relative } from "node:path";
import { checkoutOf, gitWith } from "../sides/git.js";
import { possibleSources } from "../sides/sources.js";

/** Whether files are built from, or run as they are. */
export type Purpose = "build" | "run";

/** What Python writes beside the source of a module, and checks against that. */
const CACHE = "__pycache__";
/** What builds write and do not read. */
const BUILT = new Set([".venv", "venv", "node_modules", "target", "build", ".tox"]);

export function toBytes(path: string): string {
  return Buffer.from(path, "utf8").toString("latin1");
}

/** @throws Error for bytes that no program could be given as a text */
function fromBytes(path: string): string {
  const text = Buffer.from(path, "latin1").toString("utf8");
  if (toBytes(text) !== path) throw new Error(`${text}: its name is not UTF-8`);
  return text;
}

/** Names, relative to the folder and sorted; one of a submodule is that of its folder. */
export async function sourceFiles(folder: string, purpose: Purpose): Promise<string[]> {
  const listed = await listWithGit(fromBytes(folder)).catch(() => []);
  // A folder that git ignores has no files for git.
  return listed.length > 0 ? listed : (await walk(folder, "", purpose)).sort();
}

/** Asks at the top of the checkout: the folder itself may be a repository that a commit brought. */
async function listWithGit(folder: string): Promise<string[]> {
  const top = checkoutOf(folder);
  if (top === undefined) return [];
  const within = relative(top, folder);
  const list = async (...which: string[]) => {
    const paths = within === "" ? [] : [`:(literal)${within}`];
    const listing = await gitWith({ cwd: top, encoding: "latin1" }, "ls-files", "-z", ...which, "--", ...paths);
    const cut = within === "" ? 0 : toBytes(within).length + 1;
    return listing.split("\0").flatMap((name) => (name === "" ? [] : [name.slice(cut)]));
  };
  const tracked = await list("--cached");
  const added = await possibleSources(folder, await list("--others", "--exclude-standard"), "latin1");
  const own = added.filter((name) => !name.split("/").includes(CACHE));
  return [...new Set([...tracked, ...own])].sort();
}

async function walk(folder: string, within: string, purpose: Purpose): Promise<string[]> {
  const path = Buffer.from(join(folder, within), "latin1");
  const entries = await readdir(path, { withFileTypes: true, encoding: "latin1" });
  const nested = entries
    .filter(({ name }) => name !== CACHE && name !== ".git" && (purpose === "run" || !isBuilt(name)))
    .map(async (entry) => {
      const name = join(within, entry.name);
      return entry.isDirectory() ? await walk(folder, name, purpose) : [name];
    });
  return (await Promise.all(nested)).flat();
}

function isBuilt(name: string): boolean {
  return BUILT.has(name) || name.endsWith(".egg-info");
}
