/**
 * What `command: dispatch` gives to the workflow that measures, as JSON in one input. That workflow reads it strictly: everybody
 * who can start the workflow by hand can write it.
 */
import * as v from "valibot";
import { InputError } from "../../errors.js";
import { checkCommentKey } from "../../github/comment-marker.js";
import { parseAsked } from "./arguments.js";
import { commandWords } from "./first-line.js";

const MAX_LENGTH = 4000;
const MAX_ARGUMENTS = 40;

const sha = v.pipe(v.string(), v.regex(/^[0-9a-f]{40}$/, "expected a commit's SHA of 40 hexadecimal digits"));
const number = v.pipe(v.number(), v.safeInteger("expected a whole number"), v.minValue(1, "expected at least 1"));

const schema = v.strictObject({
  version: v.literal(1),
  pullRequest: number,
  /** The commit to measure. */
  sha,
  /** The head of the base branch. Base is the commit at which the measured branch left it. */
  base: sha,
  fork: v.boolean(),
  /** Of `run`. */
  arguments: v.pipe(v.array(v.string()), v.maxLength(MAX_ARGUMENTS, `expected at most ${MAX_ARGUMENTS}`)),
  /** Of the comment with the results. */
  key: v.string(),
  /** The comment that asked; null: a label did. */
  comment: v.nullable(number),
  /** Login of the person who asked. */
  by: v.pipe(v.string(), v.regex(/^[\w-]{1,100}$/, "expected a login")),
  /** Whether this run replaces a running one of the same pull request and key. */
  replace: v.boolean(),
  /** The name of the run, by which `/bench cancel` finds it. */
  title: v.string(),
});

export type BenchRequest = v.InferOutput<typeof schema>;

/** @param inputs the given fields; the others follow from them */
export function makeRequest(given: Omit<BenchRequest, "version" | "title">): BenchRequest {
  return { version: 1, ...given, title: titleOf(given) };
}

/** It is the same for all requests of one pull request and key. */
export function titleOf({ pullRequest, key }: Pick<BenchRequest, "pullRequest" | "key">): string {
  return `/bench #${pullRequest} (${key})`;
}

/** Undefined for "". @throws InputError naming the field */
export function readRequest(text: string): BenchRequest | undefined {
  if (text === "") return undefined;
  if (text.length > MAX_LENGTH) throw wrong(`more than ${MAX_LENGTH} characters`);
  const read = v.safeParse(schema, fromJson(text), { abortEarly: true });
  if (!read.success) {
    const [issue] = read.issues;
    throw wrong(`${v.getDotPath(issue) ?? "the whole"}: ${issue.message}`);
  }
  const request = read.output;
  checkCommentKey(request.key);
  if (request.title !== titleOf(request)) throw wrong("title: it is not that of the pull request and the key");
  // The same rules as for the comment.
  const words = commandWords(["/bench", ...request.arguments].join(" ")) ?? [];
  if (words.join("\n") !== request.arguments.join("\n")) throw wrong("arguments: each is one word");
  parseAsked(request.arguments);
  return request;
}

type Input = (name: string) => string;

/** The inputs of a step that got a request: the request's values replace those of the workflow. */
export function inputsOfRequest(request: BenchRequest | undefined, input: Input): Input {
  if (request === undefined) return input;
  const { selectors, inputs } = parseAsked(request.arguments);
  const scenarios: readonly [string, string][] = selectors.length > 0 ? [["scenarios", selectors.join(" ")]] : [];
  const given = new Map([...inputs, ...scenarios, ["comment-key", request.key]]);
  return (name) => given.get(name) ?? input(name);
}

function fromJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrong("it is no JSON");
  }
}

function wrong(problem: string): InputError {
  return new InputError(`invalid request: ${problem}; it is what command: dispatch gives to the workflow`);
}
