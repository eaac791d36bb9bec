/** Uploading an artifact of this run, through the service that a runner offers its JavaScript actions. */
import { randomUUID } from "node:crypto";
import { access, constants, copyFile, lstat, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, parse, resolve, sep } from "node:path";
import type { UploadArtifactOptions } from "@actions/artifact";
import { messageLine } from "../errors.js";
import { FOLDER_PREFIX, noteOwner } from "../process/abandoned.js";

export type Upload =
  | {
      readonly state: "uploaded";
      /** Another one than the one asked for, if that was taken. */
      readonly name: string;
      readonly id: number;
      /** "sha256:" and hex, of the zip or the file. */
      readonly digest: string;
      /** The page of the artifact; absent where the runner does not set the variables for it. */
      readonly url?: string;
      /** Of the zip or the file. */
      readonly bytes: number;
    }
  | { readonly state: "refused"; readonly reason: string };

/** A name that is taken is tried as `name-2` to `name-9`. */
const LAST_NUMBER = 9;
/** The client itself waits without limit for an answer. */
const UPLOAD_TIMEOUT_MS = 10 * 60_000;

/**
 * Uploads files as one artifact. Never throws: if the upload fails, the results are still in the folder.
 *
 * GitHub refuses a name twice in one attempt of a run; another attempt may use it again. Deleting the earlier artifact could lose
 * another job's results. So the new one gets a number, and readers name the others.
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
  if (unfit !== undefined) return notUploaded(name, unfit);
  const options = retentionDays === undefined ? {} : { retentionDays };
  return await uploadNumbered(name, (asked) => uploadOnce(asked, paths, folder, options));
}

/**
 * Uploads one file without a zip, otherwise as `uploadArtifact`. GitHub serves it with the content type of its ending, so a link
 * to a page opens the page.
 * @param name of the artifact, with the file's ending
 */
export async function uploadFile(name: string, file: string, retentionDays?: number): Promise<Upload> {
  const path = resolve(file);
  const unfit = noService(name) ?? (await unfitFile([path], dirname(path)));
  if (unfit !== undefined) return notUploaded(name, unfit);
  const options = { skipArchive: true, ...(retentionDays !== undefined && { retentionDays }) };
  try {
    await using folder = await uploadFolder();
    return await uploadNumbered(name, async (asked) => {
      // The client names the artifact after the file.
      const named = join(folder.path, asked);
      await copyFile(path, named);
      return await uploadOnce(asked, [named], folder.path, options);
    });
  } catch (error) {
    return notUploaded(name, messageLine(error));
  }
}

/** A folder for the copy of a file. */
async function uploadFolder(): Promise<AsyncDisposable & { readonly path: string }> {
  const path = await mkdtemp(join(process.env.RUNNER_TEMP || tmpdir(), `${FOLDER_PREFIX}upload-`));
  // A later run removes it if this one is killed. No process belongs to it, so its id is that of no run.
  noteOwner({ id: randomUUID(), tempDir: path });
  // A folder that stays is no failed upload.
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }).catch(() => {}) };
}

async function uploadNumbered(name: string, upload: (asked: string) => Promise<Upload>): Promise<Upload> {
  const { name: stem, ext } = parse(name);
  for (let number = 1; ; number += 1) {
    const uploaded = await upload(number === 1 ? name : `${stem}-${number}${ext}`);
    const taken = uploaded.state === "refused" && /\(409\)/.test(uploaded.reason);
    if (!taken || number === LAST_NUMBER) return uploaded;
  }
}

function notUploaded(name: string, why: string): Upload {
  return { state: "refused", reason: `artifact ${name} was not uploaded: ${why}` };
}

function noService(name: string): string | undefined {
  if (isEnterpriseServer())
    return `GitHub Enterprise Server has no artifact service of version 4: upload the folder in a later step, with actions/upload-artifact@v3 and the name ${name}`;
  if (process.env.ACTIONS_RUNTIME_TOKEN && process.env.ACTIONS_RESULTS_URL) return undefined;
  return "this runner offers no artifact service (ACTIONS_RUNTIME_TOKEN and ACTIONS_RESULTS_URL are set for actions, not for run: steps, and not by every runner)";
}

/** The client uses the same rule and throws. Data residency (ghe.com) has the service. */
function isEnterpriseServer(): boolean {
  const url = process.env.GITHUB_SERVER_URL;
  if (!url || !URL.canParse(url)) return false;
  return !/(?:^github\.com|\.ghe\.com|\.localhost)$/i.test(new URL(url).hostname);
}

/** Checked before the upload: for some of these the client throws an error that cannot be caught. */
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
  options: UploadArtifactOptions,
): Promise<Upload> {
  try {
    const { DefaultArtifactClient } = await import("@actions/artifact");
    const upload = new DefaultArtifactClient().uploadArtifact(name, [...files], root, options);
    const { id, digest, size } = await inTime(upload);
    if (id === undefined || !digest)
      return { state: "refused", reason: `artifact ${name}: the service did not say that it has it` };
    const url = pageOf(id);
    return { state: "uploaded", name, id, digest: `sha256:${digest}`, bytes: size ?? 0, ...(url && { url }) };
  } catch (error) {
    return notUploaded(name, messageLine(error));
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
