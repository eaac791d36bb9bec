/**
 * Whether a `workflow_run` comes from the repository's measuring workflow. The event filters by name only, and a pull request
 * can give this name to any workflow file that it adds or changes. No name in the event is of use: where the measuring workflow has a
 * `run-name`, the event has that instead (https://github.com/actions/runner/issues/4141).
 */
import * as v from "valibot";
import { type Document, parseDocument } from "yaml";
import { readAnswer } from "./answer.js";
import { type GitHub, type GitHubFailure, toFailure } from "./client.js";
import type { Job, MeasuredRun } from "./job.js";

export type MeasuringWorkflow =
  | { readonly state: "expected" }
  /** `reason` has no text of a contributor: what it names is on the default branch. */
  | { readonly state: "unexpected"; readonly reason: string }
  | { readonly state: "refused"; readonly failure: GitHubFailure };

const workflowName = v.union([v.string(), v.number()]);
const reportingSchema = v.object({
  on: v.object({ workflow_run: v.object({ workflows: v.union([workflowName, v.array(workflowName)]) }) }),
});
const fileSchema = v.object({ type: v.literal("file"), encoding: v.literal("base64"), content: v.string() });

/**
 * The run's file must be on the default branch, this job's workflow must report on the name that it has there, and it must not be the file of
 * this job. Two requests; a private repository needs `contents: read`.
 */
export async function checkMeasuringWorkflow(
  github: GitHub,
  { defaultBranch, workflowFile: own }: Pick<Job, "defaultBranch" | "workflowFile">,
  { workflowFile: file }: MeasuredRun,
): Promise<MeasuringWorkflow> {
  const [path, ownPath] = [`.github/workflows/${file}`, `.github/workflows/${own}`];
  if (file === own) return unexpected(`${path} is this job's own workflow, which measures nothing`);
  if (defaultBranch === undefined) return unexpected("the event does not name the default branch");
  try {
    const measuring = await documentOn(github, path, defaultBranch);
    const reported = reportedIn(await documentOn(github, ownPath, defaultBranch));
    const name = nameIn(measuring) || path;
    if (reported.includes(name)) return { state: "expected" };
    return unexpected(
      `${path} has the name ${name} on ${defaultBranch}, which is not in the list on.workflow_run.workflows of ${ownPath}`,
    );
  } catch (error) {
    const failure = toFailure(error);
    if (failure.kind !== "not-found") return { state: "refused", failure };
    return unexpected(
      `the measured run is of a workflow file that is not on ${defaultBranch}; in a private repository give the job "contents: read"`,
    );
  }
}

export async function documentOn(github: GitHub, path: string, ref: string): Promise<Document.Parsed> {
  return parseDocument(await textOn(github, path, ref));
}

export async function textOn({ octokit, owner, repo }: GitHub, path: string, ref: string): Promise<string> {
  const { data } = await octokit.rest.repos.getContent({ owner, repo, path, ref });
  const { content } = readAnswer(fileSchema, data, path);
  return Buffer.from(content, "base64").toString("utf8");
}

/** Undefined if there is no name or the file is no YAML: GitHub names such a workflow after its path. */
function nameIn(document: Document.Parsed): string | undefined {
  if (document.errors.length > 0) return undefined;
  const name = document.get("name");
  return name === undefined || name === null ? undefined : String(name);
}

/** Names of workflows; none if the file is no YAML, or no reporting workflow. */
function reportedIn(document: Document.Parsed): readonly string[] {
  const listed = v.safeParse(reportingSchema, document.errors.length > 0 ? {} : document.toJS());
  return listed.success ? [listed.output.on.workflow_run.workflows].flat().map(String) : [];
}

function unexpected(reason: string): MeasuringWorkflow {
  return { state: "unexpected", reason };
}
