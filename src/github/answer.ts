/** GitHub's answers are checked as far as they are used; an answer of another shape is a failure like any other. */
import * as v from "valibot";
import { type GitHubFailure, toFailure } from "./client.js";

class UnreadableAnswer extends Error {
  override readonly name = "UnreadableAnswer";
}

/** @throws UnreadableAnswer, which `failureIn` puts into words. */
export function readAnswer<Schema extends v.GenericSchema>(
  schema: Schema,
  answer: unknown,
  what: string,
): v.InferOutput<Schema> {
  const read = v.safeParse(schema, answer);
  if (read.success) return read.output;
  const [issue] = read.issues;
  const field = v.getDotPath(issue);
  throw new UnreadableAnswer(`${what}${field ? `, field ${field}` : ""}: ${issue.message}`);
}

/** What an error of a request or of `readAnswer` means. @throws every other error */
export function failureIn(error: unknown): GitHubFailure {
  if (!(error instanceof UnreadableAnswer)) return toFailure(error);
  return { kind: "server", message: `GitHub's answer cannot be read (${error.message}): run the job again` };
}
