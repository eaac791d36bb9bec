/** Which repository on GitHub a checkout is of: the variables of a job say it, or the address of `origin`. */
import { git } from "../../provision/sides/git.js";

export interface Repository {
  readonly owner: string;
  readonly repo: string;
  readonly apiUrl: string;
  readonly serverUrl: string;
}

type Variables = Readonly<Record<string, string | undefined>>;

const NAME = /^(?<owner>[\w.-]+)\/(?<repo>[\w.-]+?)(?:\.git)?\/?$/;
const ORIGIN = /^(?:https:\/\/(?:[^/@]*@)?|git@|ssh:\/\/git@)github\.com[/:](?<name>[^?#]+)$/;

/** Undefined where neither says it. */
export async function findRepository(cwd: string, env: Variables): Promise<Repository | undefined> {
  const origin = await git(cwd, "config", "--get", "remote.origin.url").catch(() => "");
  const name = env.GITHUB_REPOSITORY || ORIGIN.exec(origin)?.groups?.name || "";
  const { owner, repo } = NAME.exec(name)?.groups ?? {};
  if (owner === undefined || repo === undefined) return undefined;
  return {
    owner,
    repo,
    apiUrl: env.GITHUB_API_URL || "https://api.github.com",
    serverUrl: env.GITHUB_SERVER_URL || "https://github.com",
  };
}
