/** `command: report` for a request: finds its pull request, and answers the person who asked. */

import { readPull } from "../../github/asked-commit.js";
import { type GitHub, toFailure } from "../../github/client.js";
import type { PullRequest } from "../../github/job.js";
import { react } from "../../github/reactions.js";
import type { ActionContext } from "../context.js";
import type { Published } from "../publish.js";
import { checkRequestedEvent } from "./checkout.js";
import type { BenchRequest } from "./request.js";

/** The pull request that gets the comment. `reason`: why none was found; absent on events that have none. */
export interface PullToComment {
  readonly pull?: PullRequest;
  readonly reason?: string;
}

/**
 * The pull request, with the commits of the request: they were checked when it was accepted, and a later push changes nothing.
 * None if GitHub does not show it. One request.
 */
export async function findRequestedPull(
  { log }: ActionContext,
  github: GitHub,
  { pullRequest, sha, base }: BenchRequest,
): Promise<PullToComment> {
  try {
    const { number, headRef, headRepository, baseRef, fork, headSha } = await readPull(github, pullRequest);
    if (headSha !== sha) log(`note   the pull request has newer commits than ${sha}`);
    return { pull: { number, headSha: sha, headRef, headRepository, baseRef, baseSha: base, fork } };
  } catch (error) {
    return { reason: toFailure(error).message };
  }
}

/** Runs the report and answers with a reaction: a rocket if the comment shows results. */
export async function answerRequest(
  { github, job, log }: ActionContext,
  { pullRequest, comment }: BenchRequest,
  report: () => Promise<Published>,
): Promise<Published> {
  checkRequestedEvent(job);
  const answer = async (content: "rocket" | "confused") => {
    if (github) await react(github, { pullRequest, comment }, content, log);
  };
  try {
    const published = await report();
    const { outputs } = published;
    const shown = "completed" in outputs && outputs["comment-url"] !== "";
    await answer(shown ? "rocket" : "confused");
    return published;
  } catch (error) {
    await answer("confused");
    throw error;
  }
}
