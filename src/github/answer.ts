/** GitHub's answers are checked as far as they are used; an answer of another shape is a failure like any other. */
import * as v from "valibot";
import { UnreadableAnswer } from "./failure.js";

/** @throws UnreadableAnswer, which `toFailure` puts into words. */
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
