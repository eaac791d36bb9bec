/** The scenario files of the default branch, for a job without a checkout: those of the folders that the measuring workflow names. */
import * as v from "valibot";
import { holdSets, OWN_FOLDERS } from "../plan/defaults.js";
import { readAnswer } from "./answer.js";
import { type GitHub, toFailure } from "./client.js";
import { documentOn, textOn } from "./measuring-workflow.js";

/** More than any project has; each file is a request. */
const FILES_MAX = 100;
/** GitHub gives the content of no larger file. */
const BYTES_MAX = 1024 * 1024;

const workflowSchema = v.object({
  jobs: v.record(
    v.string(),
    v.object({
      steps: v.optional(
        v.array(v.object({ with: v.nullish(v.object({ "scenarios-dir": v.optional(v.string()) })) })),
        [],
      ),
    }),
  ),
});
const folderSchema = v.array(v.object({ name: v.string(), type: v.string(), size: v.number() }));

export interface ScenarioFile {
  readonly name: string;
  readonly text: string;
}

export type ScenarioFolder =
  | { readonly state: "read"; readonly files: readonly ScenarioFile[] }
  | { readonly state: "unread"; readonly reason: string };

/**
 * @param workflowFile name of the measuring workflow's file
 * @param own a folder that the job itself names
 * @returns without a folder that is named, the files of the one that is measured by default; none where there is none
 */
export async function scenarioFilesOn(
  github: GitHub,
  branch: string,
  workflowFile: string,
  own: string | undefined,
): Promise<ScenarioFolder> {
  try {
    const document = await documentOn(github, `.github/workflows/${workflowFile}`, branch);
    const folders = new Set([...(own === undefined ? [] : [own]), ...foldersIn(document)].map(plainFolder));
    const [folder, another] = folders;
    if (folder === undefined) return { state: "read", files: await usualFiles(github, branch) };
    if (another !== undefined || folder.includes("${{"))
      return { state: "unread", reason: `scenarios-dir of ${workflowFile} is not one folder` };
    return { state: "read", files: await filesIn(github, folder, branch) };
  } catch (error) {
    return { state: "unread", reason: toFailure(error).message };
  }
}

function foldersIn(document: Awaited<ReturnType<typeof documentOn>>): string[] {
  const parsed = v.safeParse(workflowSchema, document.errors.length > 0 ? {} : document.toJS());
  const jobs = parsed.success ? Object.values(parsed.output.jobs) : [];
  return jobs.flatMap(({ steps }) => steps.flatMap((step) => step.with?.["scenarios-dir"] ?? []));
}

/** `./benchmarks/` and `benchmarks` are one folder. */
function plainFolder(folder: string): string {
  return folder
    .split("/")
    .filter((part) => part !== "" && part !== ".")
    .join("/");
}

async function usualFiles(github: GitHub, ref: string): Promise<ScenarioFile[]> {
  for (const folder of OWN_FOLDERS) {
    const files = await filesIn(github, folder, ref).catch((error: unknown) => {
      if (toFailure(error).kind === "not-found") return [];
      throw error;
    });
    if (holdSets(files)) return files;
  }
  return [];
}

async function filesIn(github: GitHub, folder: string, ref: string): Promise<ScenarioFile[]> {
  const { octokit, owner, repo } = github;
  const { data } = await octokit.rest.repos.getContent({ owner, repo, path: folder, ref });
  const listed = readAnswer(folderSchema, data, folder).filter(
    ({ name, type, size }) => type === "file" && size <= BYTES_MAX && /^[^/]+\.ya?ml$/.test(name),
  );
  const files: ScenarioFile[] = [];
  for (const { name } of listed.slice(0, FILES_MAX))
    files.push({ name, text: await textOn(github, `${folder}/${name}`, ref) });
  return files;
}
