/** Where a project lies in its git repository. */
import { git } from "../../provision/sides/git.js";

export interface RepositoryPlace {
  /** `services/shop`; "" where the project is the repository itself, or in none. */
  readonly folder: string;
  /** From the project to the top of the repository: `../../`; "" where they are the same. */
  readonly top: string;
}

const ITSELF: RepositoryPlace = { folder: "", top: "" };

/** A repository around the project counts only if it has files of it: a home folder may be a repository of something else. */
export async function placeInRepository(project: string): Promise<RepositoryPlace> {
  const found = await git(project, "rev-parse", "--show-prefix", "--show-cdup").catch(() => "");
  const [prefix = "", top = ""] = found.split("\n");
  if (prefix === "" || (await git(project, "ls-files", "--", ".")) === "") return ITSELF;
  return { folder: prefix.replace(/\/$/, ""), top };
}
