/**
 * The folder that GitHub Pages publishes as it is: a page for each release, an index of all of them, their history, and
 * releases.json. Other files in the folder stay; the page of the same tag is replaced.
 */
import { lstat, mkdir, readFile, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { InputError } from "../errors.js";
import { replaceFile } from "../replace-file.js";
import { headlineText, resultsHeadline } from "../report/comparison/headline.js";
import { type ListedRelease, renderSiteIndex } from "../report/release/site-index.js";
import { otherMachines } from "../report/text/machines.js";
import type { Results } from "../results/schema.js";
import { folderName } from "./folder-name.js";
import { RELEASES_FILE, type ReleaseEntry, readReleases, releasesJson, withRelease } from "./releases-file.js";
import { compareTags, readTag } from "./tags.js";

const INDEX_FILE = "index.html";
/** Holds the history of all releases. No tag's folder has this name. */
export const HISTORY_FOLDER = "history";
const HISTORY_DATA = "history.json";
/** Without it Pages hides files whose name begins with an underscore. */
const NO_JEKYLL = ".nojekyll";

interface PublishedRelease {
  readonly tag: string;
  readonly previous: string | undefined;
  readonly results: Results;
  /** Files of its page, which are copied: the page first. */
  readonly files: readonly string[];
}

interface AddedRelease {
  readonly pagePath: string;
  /** With those that were there, the latest version first. */
  readonly releases: readonly ReleaseEntry[];
}

/** Finds out before anything is measured what would keep the folder from being written. @throws InputError */
export async function checkSite(folder: string, option: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  for (const path of [folder, join(folder, HISTORY_FOLDER)])
    if ((await lstat(path).catch(() => undefined))?.isSymbolicLink())
      throw new InputError(
        `${option} ${folder}: ${path} is a link, and nothing is written through links; give the folder itself`,
      );
  if (found && !found.isDirectory()) throw new InputError(`${option} ${folder}: is a file; give a folder`);
  await readReleases(join(folder, RELEASES_FILE));
  const index = join(folder, INDEX_FILE);
  if (found && (await exists(index)) && !(await exists(join(folder, RELEASES_FILE))))
    throw new InputError(
      `${option} ${folder}: its index.html belongs to another site, because there is no releases.json; give another folder`,
    );
  const history = join(folder, HISTORY_FOLDER);
  if ((await exists(join(history, INDEX_FILE))) && !(await exists(join(history, HISTORY_DATA))))
    throw new InputError(
      `${option} ${folder}: ${HISTORY_FOLDER}/index.html belongs to another site, because there is no ${HISTORY_DATA} next to it; the history of all releases goes there: move that page`,
    );
}

/** @throws InputError for a releases.json that cannot be read */
export async function addRelease(folder: string, release: PublishedRelease): Promise<AddedRelease> {
  const entry = entryOf(release);
  const earlier = await readReleases(join(folder, RELEASES_FILE));
  const own = join(folder, entry.folder);
  await mkdir(own, { recursive: true });
  for (const file of release.files) await replaceFile(join(own, basename(file)), await readFile(file));
  const releases = withRelease(earlier, entry).sort(newestFirst);
  await replaceFile(join(folder, RELEASES_FILE), releasesJson(releases));
  await replaceFile(join(folder, NO_JEKYLL), "");
  return { pagePath: join(own, INDEX_FILE), releases };
}

/** Links the history where the folder has one. */
export async function writeIndex(folder: string, releases: readonly ReleaseEntry[], project?: string): Promise<void> {
  const listed: ListedRelease[] = [];
  for (const one of releases) listed.push(await listedRelease(folder, one));
  const history = await exists(join(folder, HISTORY_FOLDER, INDEX_FILE));
  const about = { ...(project !== undefined && { project }), ...(history && { history: HISTORY_FOLDER }) };
  await replaceFile(join(folder, INDEX_FILE), renderSiteIndex(listed, about));
}

function entryOf({ tag, previous, results }: PublishedRelease): ReleaseEntry {
  const { run, environment } = results;
  const machine = `${environment.cpuModel}, ${environment.cpus} CPUs`.slice(0, MACHINE_LENGTH);
  return {
    tag,
    ...(previous !== undefined && { previous }),
    folder: folderName(tag),
    measuredAt: run.startedAt,
    ...(run.git && { sha: run.git.sha }),
    machine: `${machine}${otherMachines(run)}`,
    headline: headlineText(resultsHeadline(results)),
    ...countsOf(results),
  };
}

function countsOf({
  comparison,
  cases,
  furtherMetrics = [],
}: Results): Pick<ReleaseEntry, "rows" | "verdicts" | "notCompared"> {
  if (!comparison)
    return {
      rows: new Set([...cases.filter(({ side }) => side === "head"), ...furtherMetrics].map(({ id }) => id)).size,
    };
  const count = (verdict: string) => comparison.rows.filter((row) => row.verdict.endsWith(verdict)).length;
  const notCompared = (comparison.notCompared ?? []).length;
  return {
    rows: comparison.rows.length + notCompared,
    notCompared,
    verdicts: {
      worse: count("worse"),
      better: count("better"),
      unchanged: count("unchanged"),
      inconclusive: count("inconclusive"),
    },
  };
}

const MACHINE_LENGTH = 200;

async function listedRelease(folder: string, entry: ReleaseEntry): Promise<ListedRelease> {
  const there = await exists(join(folder, entry.folder, INDEX_FILE));
  const { tag, previous, measuredAt, machine, headline, rows, verdicts, notCompared } = entry;
  const href = there ? `${encodeURIComponent(entry.folder)}/${INDEX_FILE}` : undefined;
  return { tag, previous, href, measuredAt, machine, headline, rows, verdicts, notCompared };
}

/** By version, the last one first; tags without a version after them, by date. Other names of projects stay together. */
function newestFirst(a: ReleaseEntry, b: ReleaseEntry): number {
  const [first, second] = [readTag(a.tag), readTag(b.tag)];
  if (first && second) return compareNames(first.prefix, second.prefix) || -compareTags(first, second);
  if (first || second) return first ? -1 : 1;
  return -compareNames(a.measuredAt, b.measuredAt) || compareNames(a.tag, b.tag);
}

function compareNames(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined)) !== undefined;
}
