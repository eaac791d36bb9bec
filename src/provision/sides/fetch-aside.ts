/** Fetches a commit with a token. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { borrow } from "./checkout.js";
import { git, gitWith } from "./git.js";

export interface Remote {
  /** `https://github.com/acme/server` */
  readonly url: string;
  readonly token: string;
}

interface Wanted {
  readonly repository: string;
  readonly sha: string;
  readonly remote: Remote;
  /** Of git: `fetch` and its options. */
  readonly args: readonly string[];
}

/** For one commit with its files: enough for a large repository over a slow line. */
export const FETCH_LIMIT_MS = 120_000;

/**
 * Fetches into a repository of its own, and from there into the one that lacks the commit. In a workspace that lasts, code of an
 * earlier run can have changed the configuration: another address, a proxy, no check of certificates. The call that has the token
 * reads none of it.
 * @param fetchFrom fetches into the repository that lacks the commit
 * @throws Error with git's message
 */
export async function fetchAside<T>(
  { repository, sha, remote, args }: Wanted,
  fetchFrom: (folder: string) => Promise<T>,
): Promise<T> {
  const folder = await mkdtemp(join(process.env.RUNNER_TEMP || tmpdir(), "server-bench-fetch-"));
  try {
    await borrow(repository, folder);
    // The remote sends no file that head has too.
    await git(folder, "update-ref", "--no-deref", "HEAD", await git(repository, "rev-parse", "--verify", "HEAD"));
    const secrets = { [`http.${new URL(remote.url).origin}/.extraHeader`]: authorization(remote.token) };
    await gitWith({ cwd: folder, timeoutMs: FETCH_LIMIT_MS, secrets }, ...args, "--", remote.url, sha);
    await git(folder, "update-ref", "refs/heads/fetched", sha);
    return await fetchFrom(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As actions/checkout sends it. */
function authorization(token: string): string {
  return `AUTHORIZATION: basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;
}
