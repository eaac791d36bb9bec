/** The last line of a comment with results: who asked for them. */
import type { Job } from "../../github/job.js";
import { codeSpan } from "../../report/text/escape.js";
import { link } from "../../report/text/link.js";
import { commentUrl } from "./answer.js";
import type { BenchRequest } from "./request.js";

/** "" without a request. */
export function askedLine(job: Job | undefined, request: BenchRequest | undefined): string {
  if (!job || !request) return "";
  const { pullRequest, comment, by, sha } = request;
  const how = comment === null ? "with a label" : `in ${link("this comment", commentUrl(job, pullRequest, comment))}`;
  return `\n\nMeasured ${codeSpan(sha)}, as ${codeSpan(by)} asked ${how}.`;
}
