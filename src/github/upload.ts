/** Uploading an artifact of this run, through the service that a runner offers its JavaScript actions. */
import { access, constants, lstat } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { messageLine } from "../errors.js";

export type Upload =
  | {
      readonly state: "uploaded";
      /** Differs from the one asked for where that was taken. */
      readonly name: string;
      readonly id: number;
      /** "sha256:" and hex, of the zip. */
      readonly digest: string;
      /** The page of the artifact; absent where the runner does not set the variables for it. */
      readonly url?: string;
      /** Of the zip. */
      readonly bytes: number;
    }
  | { readonly state: "refused"; readonly reason: string };

/** A name that is taken is tried as `name-2` to `name-9`. */
const LAST_NUMBER = 9;
/** The client itself waits without limit for an answer. */
const UPLOAD_TIMEOUT_MS = 10 * 60_000;

/**
 * Uploads files as one artifact. Never throws: the results are in the folder even where the upload fails.
 *
 * The same name twice in one attempt of a run is refused by GitHub (another attempt may use it again), and deleting
 * the earlier one could lose another job's results: the new one gets a number, and readers take the newest.
 *
 * The client (a third of this action's code) is loaded only here. It prints some ten lines with
 * the artifact's name, its size and digest, and hides signed URLs with `::add-mask::`: call it outside of
 * `::stop-commands::`. It reads ACTIONS_RUNTIME_TOKEN and ACTIONS_RESULTS_URL from the environment.
 * @param files below `root`, and relative to it (or absolute); in the zip they are named relative to it
 * @param retentionDays default: what the repository has set
 */
export async function uploadArtifact(
  name: string,
  files: readonly string[],
  root: string,
  retentionDays?: number,
): Promise<Upload> {
  const folder = resolve(root);
  const paths = files.map((file) => resolve(folder, file));
  const unfit = noService(name) ?? (await unfitFile(paths, folder));
  if (unfit !== undefined) return { state: "refused", reason: `artifact ${name} was not uploaded: ${unfit}` };
  for (let number = 1; ; number += 1) {
    const asked = number === 1 ? name : `${name}-${number}`;
    const upload = await uploadOnce(asked, paths, folder, retentionDays);
    const taken = upload.state === "refused" && /\(409\)/.test(upload.reason);
    if (!taken || number === LAST_NUMBER) return upload;
  }
}

function noService(name: string): string | undefined {
  if (isEnterpriseServer())
    return `GitHub Enterprise Server has no artifact service of version 4: upload the folder in a later step, with actions/upload-artifact@v3 and the name ${name}`;
  if (process.env.ACTIONS_RUNTIME_TOKEN && process.env.ACTIONS_RESULTS_URL) return undefined;
  return "this runner offers no artifact service (ACTIONS_RUNTIME_TOKEN and ACTIONS_RESULTS_URL are set for actions, not for run: steps, and not by every runner)";
}

/** The client decides by the same rule, and throws; data residency (ghe.com) has the service. */
function isEnterpriseServer(): boolean {
  const url = process.env.GITHUB_SERVER_URL;
  if (!url || !URL.canParse(url)) return false;
  return !/(?:^github\.com|\.ghe\.com|\.localhost)$/i.test(new URL(url).hostname);
}

/** Checked before the upload: the client answers some of these with an error that nothing can catch. */
async function unfitFile(files: readonly string[], folder: string): Promise<string | undefined> {
  if (files.length === 0) return "there are no files";
  for (const file of files) {
    if (!file.startsWith(folder + sep)) return `${file} is not in ${folder}`;
    try {
      if (!(await lstat(file)).isFile()) return `${file} is not a regular file`;
      await access(file, constants.R_OK);
    } catch (error) {
      return `${file} cannot be read: ${messageLine(error)}`;
    }
  }
  return undefined;
}

async function uploadOnce(
  name: string,
  files: readonly string[],
  root: string,
  retentionDays: number | undefined,
): Promise<Upload> {
  try {
    const { DefaultArtifactClient } = await import("@actions/artifact");
    const options = retentionDays === undefined ? {} : { retentionDays };
    const upload = new DefaultArtifactClient().uploadArtifact(name, [...files], root, options);
    const { id, digest, size } = await inTime(upload);
    if (id === undefined || !digest)
      return { state: "refused", reason: `artifact ${name}: the service did not say that it has it` };
    const url = pageOf(id);
    return { state: "uploaded", name, id, digest: `sha256:${digest}`, bytes: size ?? 0, ...(url && { url }) };
  } catch (error) {
    return { state: "refused", reason: `artifact ${name} was not uploaded: ${messageLine(error)}` };
  }
}

async function inTime<T>(upload: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the upload took longer than 10 minutes")), UPLOAD_TIMEOUT_MS);
  });
  try {
    return await Promise.race([upload, late]);
  } finally {
    clearTimeout(timer);
  }
}

function pageOf(id: number): string | undefined {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_RUN_ID: run } = process.env;
  return server && repository && run ? `${server}/${repository}/actions/runs/${run}/artifacts/${id}` : undefined;
}
