/**
 * Whether a `workflow_run` comes from the repository's measuring workflow. The event filters by name only, and a pull request
 * can give this name to any workflow file that it adds or changes.
 */
import * as v from "valibot";
import { parseDocument } from "yaml";
import { readAnswer } from "./answer.js";
import { type GitHub, type GitHubFailure, toFailure } from "./client.js";
import type { Job, MeasuredRun } from "./job.js";

export type MeasuringWorkflow =
  | { readonly state: "expected" }
  /** The only text of a contributor in `reason` is the name of a file. */
  | { readonly state: "unexpected"; readonly reason: string }
  | { readonly state: "refused"; readonly failure: GitHubFailure };

const fileSchema = v.object({ type: v.literal("file"), encoding: v.literal("base64"), content: v.string() });

/**
 * The run's file must be on the default branch, must have the run's name there, and must not be the file of this job. One request;
 * a private repository needs `contents: read`.
 */
export async function checkMeasuringWorkflow(
  github: GitHub,
  { defaultBranch, workflowFile: own }: Pick<Job, "defaultBranch" | "workflowFile">,
  { workflowFile: file, workflowName }: MeasuredRun,
): Promise<MeasuringWorkflow> {
  const path = `.github/workflows/${file}`;
  if (file === own) return unexpected(`${path} is this job's own workflow, which measures nothing`);
  if (defaultBranch === undefined) return unexpected("the event does not name the default branch");
  try {
    const name = await nameOnBranch(github, path, defaultBranch);
    if (name === workflowName) return { state: "expected" };
    return unexpected(`${path} has another name on ${defaultBranch} than in the pull request`);
  } catch (error) {
    const failure = toFailure(error);
    if (failure.kind !== "not-found") return { state: "refused", failure };
    return unexpected(
      `the measured run is of ${path}, which is not on ${defaultBranch}; in a private repository give the job "contents: read"`,
    );
  }
}

async function nameOnBranch({ octokit, owner, repo }: GitHub, path: string, ref: string): Promise<string> {
  const { data } = await octokit.rest.repos.getContent({ owner, repo, path, ref });
  const { content } = readAnswer(fileSchema, data, path);
  return nameIn(Buffer.from(content, "base64").toString("utf8")) || path;
}

/** Undefined if there is no name or the file is no YAML: GitHub names such a workflow after its path. */
function nameIn(text: string): string | undefined {
  const document = parseDocument(text);
  if (document.errors.length > 0) return undefined;
  const name = document.get("name");
  return name === undefined || name === null ? undefined : String(name);
}

function unexpected(reason: string): MeasuringWorkflow {
  return { state: "unexpected", reason };
}
