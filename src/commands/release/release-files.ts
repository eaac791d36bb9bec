/** Results of a release -> its page, its notes and, where one is asked for, the folder of all releases. */
import { copyFile, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { repositoryOn } from "../../history/repository.js";
import type { ReleaseFile } from "../../release/attach.js";
import { addRelease, writeIndex } from "../../release/site.js";
import { replaceFile } from "../../replace-file.js";
import type { CommentFacts } from "../../report/comment/facts.js";
import type { PageOptions } from "../../report/html/page.js";
import { releaseLead } from "../../report/release/lead.js";
import { type NotesFacts, type Release, renderNotes } from "../../report/release/notes.js";
import type { Results } from "../../results/schema.js";
import { PAGE_FILE, RESULTS_FILE } from "../output-folder.js";
import { pageIn, writePage } from "../results-writer.js";
import type { WrittenResults } from "../run/request.js";
import { writeSiteHistory } from "./site-history.js";
import { pageAddress } from "./site-url.js";
import { whyNotPublished } from "./unpublished.js";

export const NOTES_FILE = "notes.md";

interface ReleasePublication {
  readonly release: Release;
  readonly where: CommentFacts["where"];
  readonly origin?: NonNullable<CommentFacts["origin"]>;
  /** Folder of all releases; undefined: none is written. */
  readonly site: string | undefined;
  /** Address of that folder. */
  readonly siteUrl: string | undefined;
  readonly toolVersion: string;
}

export interface ReleaseFiles {
  readonly pagePath: string;
  readonly notesPath: string;
  /** For other limits, such as the room that a body has. */
  readonly facts: NotesFacts;
  /** To attach to the release. */
  readonly files: readonly ReleaseFile[];
  /** Why nothing goes into the folder of all releases or to GitHub; undefined: all of it does. */
  readonly unpublished: string | undefined;
}

/** @throws InputError for a folder of releases that cannot be added to */
export async function writeReleaseFiles(
  { results, resultsPath }: Pick<WrittenResults, "results" | "resultsPath">,
  publication: ReleasePublication,
): Promise<ReleaseFiles> {
  const out = dirname(resultsPath);
  const { release, where, origin } = publication;
  const unpublished = whyNotPublished(results);
  const { site, siteUrl } = unpublished === undefined ? publication : {};
  const pageUrl = siteUrl === undefined ? undefined : pageAddress(siteUrl, release.tag);
  const facts: NotesFacts = {
    results,
    where,
    release,
    trust: { kind: "own" },
    ...(origin && { origin }),
    ...(pageUrl !== undefined && { pageUrl }),
  };
  const notesPath = join(out, NOTES_FILE);
  await replaceFile(notesPath, renderNotes(facts));
  const page = { ...(origin && { origin }), lead: releaseLead(release) };
  await writePage(out, results, page);
  const pagePath = site === undefined ? join(out, PAGE_FILE) : await addToSite(site, resultsPath, publication, results);
  return { pagePath, notesPath, facts, files: filesIn(out, results, page), unpublished };
}

/** Among the other files of a release their names have to say what they are. The page names the other file. */
function filesIn(out: string, results: Results, options: PageOptions): readonly ReleaseFile[] {
  const resultsFile = "server-bench-results.json";
  const page = async () => Buffer.from(await pageIn(out, results, { ...options, resultsFile }));
  return [
    { name: "server-bench.html", contentType: "text/html; charset=utf-8", read: page },
    { name: resultsFile, contentType: "application/json", read: () => readFile(join(out, RESULTS_FILE)) },
  ];
}

/** The page in the folder of all releases links their index, and the index links their history. */
async function addToSite(
  site: string,
  resultsPath: string,
  { release, where, origin, toolVersion }: ReleasePublication,
  results: Results,
): Promise<string> {
  const temp = await mkdtemp(join(tmpdir(), "server-bench-page-"));
  try {
    await writePage(temp, results, { ...(origin && { origin }), lead: releaseLead(release, "../index.html") });
    const copied = join(temp, RESULTS_FILE);
    await copyFile(resultsPath, copied);
    const published = { ...release, results, files: [join(temp, PAGE_FILE), copied] };
    const { pagePath, releases } = await addRelease(site, published);
    await writeSiteHistory(site, releases, {
      repository: repositoryOn(where.serverUrl, where.repository),
      toolVersion,
    });
    await writeIndex(site, releases, where.repository === "" ? undefined : where.repository);
    return pagePath;
  } finally {
    await rm(temp, { recursive: true, force: true });
  }
}
