/** A measured release -> its page and notes, the artifact, the release on GitHub, and the step's summary and outputs. */
import { NOTES_FILE, type ReleaseFiles, writeReleaseFiles } from "../commands/release/release-files.js";
import { toolVersion } from "../commands/version.js";
import { refusedWords, updateRelease } from "../release/update.js";
import { replaceFile } from "../replace-file.js";
import { annotationsOf } from "../report/comment/annotations.js";
import { renderReport } from "../report/markdown/report.js";
import { RELEASE_BODY_LIMIT, type Release, renderNotes } from "../report/release/notes.js";
import { escapeLine } from "../report/text/escape.js";
import type { ActionContext } from "./context.js";
import { type Finished, failureOf, outputsOf, type Published, repeatedFrom } from "./publish.js";
import { uploadPage, uploadResults } from "./upload-results.js";

interface MeasuredRelease {
  readonly finished: Finished;
  readonly release: Release;
  readonly uploaded: boolean;
}

export async function publishRelease(
  action: ActionContext,
  { finished, release, uploaded }: MeasuredRelease,
  cancelled: AbortSignal,
): Promise<Published> {
  const { inputs, job } = action;
  const { results, reportPath } = finished;
  const origin = repeatedFrom(action, results);
  const own = { kind: "own" } as const;
  await replaceFile(reportPath, renderReport(results, { charts: true, trust: own, ...(origin && { origin }) }));
  const { site, siteUrl } = inputs.release;
  const where = {
    repository: job ? `${job.owner}/${job.repo}` : "",
    serverUrl: job?.serverUrl ?? "",
    runUrl: job?.runUrl ?? "",
  };
  const files = await writeReleaseFiles(finished, {
    release,
    where,
    siteUrl,
    site,
    toolVersion: await toolVersion(action.context.root),
    ...(origin && { origin }),
  });
  const artifact = uploaded ? undefined : await uploadResults(action, finished, [NOTES_FILE]);
  const pageUrl = artifact && !cancelled.aborted ? await uploadPage(action, finished) : undefined;
  const linked = {
    ...where,
    ...(artifact && { artifactUrl: artifact.url }),
    ...(pageUrl !== undefined && { pageUrl }),
  };
  const facts = { ...files.facts, where: linked };
  // Written a second time: the artifact's address was not known before.
  if (artifact) await replaceFile(files.notesPath, renderNotes(facts));
  const written = await update(action, { ...files, facts });
  const failure = failureOf(finished, inputs.run.failOn);
  return {
    outputs: {
      ...outputsOf(finished),
      ...(artifact && { "artifact-id": artifact.id }),
      "page-path": files.pagePath,
      "notes-path": files.notesPath,
    },
    annotations: annotationsOf(results, { gate: inputs.run.failOn === "worse" }),
    summary: `${renderNotes(facts)}\n${written}\n`,
    ...(failure !== undefined && { failure }),
  };
}

/** @returns for the summary: what became of the release on GitHub */
async function update(
  { inputs, github, log }: ActionContext,
  { facts, files, unpublished }: ReleaseFiles,
): Promise<string> {
  const { tag } = facts.release;
  if (unpublished !== undefined) {
    log(`${tag} was not published: ${unpublished}`);
    return `**${escapeLine(tag)} was not published:** ${unpublished}.`;
  }
  if (!inputs.release.update) return "";
  if (!github) {
    log("the release was not changed: the action was given no token");
    return "";
  }
  const render = (limit: number, attached: readonly string[]) => renderNotes({ ...facts, attached }, limit);
  const updated = await updateRelease(github, { tag, render, limit: RELEASE_BODY_LIMIT, files });
  if (updated.state === "refused") {
    const { what, why } = refusedWords(updated);
    log(`the ${what}: ${why}`);
    return `**The ${what}:** ${escapeLine(why)}`;
  }
  log(`${updated.draft ? "draft" : "release"} ${updated.state}: ${updated.url}`);
  if (updated.files.state === "attached") {
    log(`attached to the release: ${updated.files.names.join(", ")}`);
    return "";
  }
  log(updated.files.reason);
  return escapeLine(updated.files.reason);
}
