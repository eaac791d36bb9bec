/** Reads from the event who asks for what in which pull request. Anybody can write the text of a comment. */
import * as v from "valibot";
import { InputError } from "../../errors.js";
import { checkEvent, readEvent } from "../../github/job.js";
import { isCommand } from "./first-line.js";

export type Asked =
  /** Nobody gets an answer. */
  | { readonly kind: "ignored"; readonly reason: string }
  | {
      readonly kind: "asked";
      readonly pullRequest: number;
      readonly by: Account;
      readonly defaultBranch: string;
      readonly how: AskedHow;
    };

interface Account {
  readonly id: number;
  readonly login: string;
}

export type AskedHow =
  | { readonly kind: "comment"; readonly id: number; readonly body: string; readonly at: Date }
  /** A label's event names the head that the pull request had. */
  | { readonly kind: "label"; readonly headSha: string };

const id = v.pipe(v.number(), v.safeInteger("expected a whole number"), v.minValue(1, "expected at least 1"));
const account = v.object({
  id,
  login: v.pipe(v.string(), v.regex(/^[\w-]+(\[bot\])?$/, "expected a login")),
  type: v.string(),
});
const repository = v.object({ default_branch: v.string() });

const commentEvent = v.object({
  action: v.string(),
  repository,
  issue: v.object({ number: id, locked: v.boolean(), pull_request: v.optional(v.looseObject({})) }),
  comment: v.object({
    id,
    body: v.string(),
    created_at: v.pipe(v.string(), v.isoTimestamp("expected a time")),
    updated_at: v.string(),
    user: account,
    performed_via_github_app: v.nullish(v.looseObject({})),
  }),
});

const labelEvent = v.object({
  action: v.string(),
  repository,
  label: v.optional(v.object({ name: v.string() })),
  sender: account,
  pull_request: v.object({ number: id, locked: v.boolean(), head: v.object({ sha: v.string() }) }),
});

/** @param label that asks @throws InputError for another event, and for an event file that is wrong */
export async function readAsked(
  env: Readonly<Record<string, string | undefined>>,
  label: string | undefined,
): Promise<Asked> {
  const file = env.GITHUB_EVENT_PATH ?? "";
  if (env.GITHUB_EVENT_NAME === "issue_comment") return ofComment(await readEvent(file), file);
  if (env.GITHUB_EVENT_NAME === "pull_request") return ofLabel(await readEvent(file), file, label);
  throw new InputError("command: dispatch is for the events issue_comment (created) and pull_request (labeled)");
}

function ofComment(payload: unknown, file: string): Asked {
  const { action, comment, issue, repository: here } = checkEvent(commentEvent, payload, file);
  if (action !== "created") return ignored("only a new comment asks: an edited one does not");
  if (comment.updated_at !== comment.created_at) return ignored("the comment was edited");
  if (issue.pull_request === undefined) return ignored("the comment is on an issue, not on a pull request");
  if (!isCommand(comment.body)) return ignored("the comment's first line is no command");
  if (isBot(comment.user) || comment.performed_via_github_app) return ignored("an app wrote the comment");
  if (issue.locked) return ignored("the conversation is locked");
  const { id: comment_id, body, created_at } = comment;
  const how: AskedHow = { kind: "comment", id: comment_id, body, at: new Date(created_at) };
  return asked(issue.number, comment.user, here.default_branch, how);
}

function ofLabel(payload: unknown, file: string, wanted: string | undefined): Asked {
  const { action, label, sender, pull_request: pull, repository: here } = checkEvent(labelEvent, payload, file);
  if (action !== "labeled" || wanted === undefined || label?.name !== wanted)
    return ignored("it is not the label that asks");
  if (isBot(sender)) return ignored("an app set the label");
  if (pull.locked) return ignored("the conversation is locked");
  return asked(pull.number, sender, here.default_branch, { kind: "label", headSha: pull.head.sha });
}

function isBot({ login, type }: v.InferOutput<typeof account>): boolean {
  return type !== "User" || login.endsWith("[bot]");
}

function ignored(reason: string): Asked {
  return { kind: "ignored", reason };
}

function asked(pullRequest: number, by: Account, defaultBranch: string, how: AskedHow): Asked {
  return { kind: "asked", pullRequest, by: { id: by.id, login: by.login }, defaultBranch, how };
}
