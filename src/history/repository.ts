/** Where the commits of a history can be looked at. The reader names the repository: a results file cannot choose an address. */
import { InputError } from "../errors.js";

/** The address of a repository, http or https, without a slash at its end. */
export interface Repository {
  readonly url: string;
}

/**
 * @param option as the user knows it: `--repository`
 * @throws InputError for anything but a plain http or https address
 */
export function parseRepository(given: string, option: string): Repository {
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const plain =
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    url.username === "" &&
    url.password === "" &&
    url.search === "" &&
    url.hash === "" &&
    /^\/[\w./~-]+$/.test(url.pathname);
  if (!plain)
    throw new InputError(
      `${option} ${given}: expected the address of a repository, such as https://github.com/owner/name`,
    );
  return { url: url.href.replace(/(?:\.git)?\/*$/, "") };
}

/** The repository of the job on GitHub; undefined outside one. */
export function repositoryOfJob(env: Readonly<Record<string, string | undefined>>): Repository | undefined {
  return repositoryOn(env.GITHUB_SERVER_URL ?? "", env.GITHUB_REPOSITORY ?? "");
}

/** @param name `owner/name`; undefined for anything else, and for a server that is no plain address */
export function repositoryOn(server: string, name: string): Repository | undefined {
  if (!/^https?:\/\/[\w.-]+(:\d+)?$/.test(server) || !/^[\w.-]+\/[\w.-]+$/.test(name)) return undefined;
  return { url: `${server}/${name}` };
}

const SHA = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** The commits after `before` up to `after`; undefined where a commit is unknown, or is the same. */
export function compareAddress(
  repository: Repository | undefined,
  before: string | undefined,
  after: string | undefined,
): string | undefined {
  if (!repository || before === undefined || after === undefined || before === after) return undefined;
  return SHA.test(before) && SHA.test(after) ? `${repository.url}/compare/${before}...${after}` : undefined;
}
