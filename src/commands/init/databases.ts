/** Databases in files that a commit does not have. */
import { git } from "../../provision/sides/git.js";

const ENDINGS = ["*.sqlite3", "*.sqlite", "*.db"];

/** Of the project's folder and those in it, relative to it; none outside of git. */
export async function untrackedDatabases(project: string): Promise<string[]> {
  const patterns = ENDINGS.flatMap((ending) => [`:(glob)${ending}`, `:(glob)*/${ending}`]);
  const listed = await git(project, "ls-files", "--others", "-z", "--", ...patterns).catch(() => "");
  return listed.split("\0").filter((file) => file !== "");
}
