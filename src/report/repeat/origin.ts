/** Where a reader can clone the tool and the measured repository. The job knows it, the results file does not. */

export interface Origin {
  /** The repository (`owner/name`) of the action, and the tag, branch or commit of it. */
  readonly tool: { readonly repository: string; readonly ref: string };
  readonly serverUrl: string;
  /** `owner/name` of what was measured. */
  readonly repository: string;
  /** The folder of its checkout. */
  readonly workspace: string;
}

interface Job {
  readonly serverUrl: string;
  readonly repository: string;
  readonly workspace: string;
  /** The commit of the workflow, whose folder `uses: ./` runs. */
  readonly sha: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Undefined when the job's names for the action are not safe in a command.
 * @param version of the tool: a moving tag such as v1 is replaced by the release that it pointed at
 */
export function originOf(
  env: Environment,
  { serverUrl, repository, workspace, sha }: Job,
  version: string,
): Origin | undefined {
  const { GITHUB_ACTION_REPOSITORY: given = "", GITHUB_ACTION_REF: ref = "" } = env;
  const tool = given === "" ? { repository, ref: sha } : { repository: given, ref: fixedRef(ref, version) };
  if (!/^[\w.-]+\/[\w.-]+$/.test(tool.repository) || !/^(?!-)[\w./-]{1,255}$/.test(tool.ref)) return undefined;
  return { tool, serverUrl, repository, workspace };
}

function fixedRef(ref: string, version: string): string {
  return /^v\d+(\.\d+)?$/.test(ref) && /^\d+\.\d+\.\d+$/.test(version) ? `v${version}` : ref;
}
