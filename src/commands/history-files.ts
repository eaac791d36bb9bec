/** A history -> its files: the page, history.json, the feed and the badge. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { historyFile } from "../history/file.js";
import type { History } from "../history/model.js";
import type { Repository } from "../history/repository.js";
import { replaceFile } from "../replace-file.js";
import type { Markup } from "../report/html/markup.js";
import { PAGE_FILE } from "./output-folder.js";

interface HistoryFiles {
  /** Commits are linked there; undefined: they are not linked. */
  readonly repository: Repository | undefined;
  readonly toolVersion: string;
  /** A link above the headline. */
  readonly lead?: Markup;
}

/** The page's code is loaded here: other commands start without it. */
export async function writeHistory(
  out: string,
  found: History,
  { repository, toolVersion, lead }: HistoryFiles,
): Promise<void> {
  const { renderHistory } = await import("../report/history/page.js");
  const { feedOf } = await import("../report/history/feed.js");
  const { badgeOf } = await import("../report/history/words.js");
  const page = { toolVersion, ...(repository && { repository }), ...(lead && { lead }) };
  const files = [
    ["history.json", historyFile(found, repository)],
    ["feed.atom", feedOf(found, repository)],
    ["badge.json", `${JSON.stringify(badgeOf(found), null, 2)}\n`],
    [PAGE_FILE, renderHistory(found, page)],
  ] as const;
  await mkdir(out, { recursive: true });
  for (const [name, text] of files) await replaceFile(join(out, name), text);
}
