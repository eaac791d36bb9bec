/** Checks those fields of GitHub's answers that are used. A wrong field is a failed request. */
import * as v from "valibot";
import { oneLine, UnreadableAnswer } from "./failure.js";

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
  throw new UnreadableAnswer(`${what}${field ? `, field ${oneLine(field)}` : ""}: ${oneLine(issue.message)}`);
}
