/** The history in the folder of all releases, made from the results beside their pages. */
import { join } from "node:path";
import { InputError } from "../../errors.js";
import type { LeftOut } from "../../history/choose.js";
import { historyOf } from "../../history/model.js";
import { Recorder, type RunRecord } from "../../history/record.js";
import type { Repository } from "../../history/repository.js";
import type { ReleaseEntry } from "../../release/releases-file.js";
import { HISTORY_FOLDER } from "../../release/site.js";
import { indexLink } from "../../report/release/lead.js";
import { readResults } from "../../results/read.js";
import { writeHistory } from "../history-files.js";
import { RESULTS_FILE } from "../output-folder.js";

interface SiteHistory {
  readonly repository: Repository | undefined;
  readonly toolVersion: string;
}

/**
 * The folder may be older than this server-bench, and others may write to it: a release whose results cannot be read is listed
 * as left out. Without any run that can be shown, nothing is written.
 */
export async function writeSiteHistory(
  site: string,
  releases: readonly ReleaseEntry[],
  { repository, toolVersion }: SiteHistory,
): Promise<void> {
  const { runs, unreadable } = await readReleases(site, releases);
  const found = historyOf(runs, unreadable);
  if (found.runs.length === 0) return;
  const lead = indexLink("../index.html");
  await writeHistory(join(site, HISTORY_FOLDER), found, { repository, toolVersion, lead });
}

interface ReadReleases {
  readonly runs: readonly RunRecord[];
  readonly unreadable: readonly LeftOut[];
}

async function readReleases(site: string, releases: readonly ReleaseEntry[]): Promise<ReadReleases> {
  const recorder = new Recorder();
  const runs: RunRecord[] = [];
  const unreadable: LeftOut[] = [];
  for (const { tag, folder } of releases) {
    const source = join(folder, RESULTS_FILE);
    try {
      const { run, ...results } = await readResults(join(site, source));
      // Results of earlier versions do not name their tag.
      const git = run.git && { ...run.git, ref: tag };
      runs.push(recorder.record(source, { ...results, run: { ...run, ...(git && { git }) } }));
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      unreadable.push({ source, reason: error.message.replaceAll(`${join(site, source)}: `, "") });
    }
  }
  return { runs, unreadable };
}
