/** What `/bench` uses of GitHub's API, over the double's state: permissions, pushes, reactions, started and cancelled runs. */

import type { Reply } from "./http.js";
import { collaboratorOf, pushOf, reactionOf } from "./request-factories.js";
import { type Context, notFound, pageOf, type Route, refusal } from "./route.js";

const REPO = "/repos/{owner}/{repo}";

export const REQUEST_ROUTES: readonly Route[] = [
  { method: "GET", template: `${REPO}/collaborators/{username}/permission`, scopes: [], handle: permission },
  { method: "GET", template: `${REPO}/activity`, scopes: ["contents"], handle: activity },
  {
    method: "POST",
    template: `${REPO}/issues/comments/{comment_id}/reactions`,
    scopes: ["issues", "pullRequests"],
    handle: (context) => {
      const comment = context.state.comment(Number(context.parameters.comment_id));
      return comment ? react(context, comment.issue, comment.id) : notFound();
    },
  },
  {
    method: "POST",
    template: `${REPO}/issues/{issue_number}/reactions`,
    scopes: ["issues", "pullRequests"],
    handle: (context) => react(context, Number(context.parameters.issue_number), null),
  },
  {
    method: "POST",
    template: `${REPO}/actions/workflows/{workflow_id}/dispatches`,
    scopes: ["actions"],
    handle: dispatch,
  },
  {
    method: "POST",
    template: `${REPO}/actions/runs/{run_id}/cancel`,
    scopes: ["actions"],
    handle: cancel,
  },
];

/** Whoever is not named may read, as in a public repository. */
function permission({ state, parameters }: Context): Reply {
  const { username = "" } = parameters;
  const role = state.roles.get(username) ?? "read";
  const base = { maintain: "write", triage: "read" }[role] ?? role;
  const user = role === "none" ? null : collaboratorOf(username, role);
  return { status: 200, body: { permission: base, role_name: role, user } };
}

/** Newest first. */
function activity(context: Context): Reply {
  const { ref } = context.query;
  const pushes = context.state.pushes.filter((push) => ref === undefined || push.ref === ref).toReversed();
  const { items, headers } = pageOf(context, pushes);
  return { status: 200, headers, body: items.map(pushOf) };
}

function react({ state, account, body }: Context, issue: number, comment: number | null): Reply {
  if (state.pull(issue)?.locked) return refusal(403, "Unable to create reaction because issue is locked.");
  const reaction = { issue, comment, login: account.login, content: String(body.content) };
  const known = state.reactions.some((one) => JSON.stringify(one) === JSON.stringify(reaction));
  if (!known) state.reactions.push(reaction);
  return { status: known ? 200 : 201, body: reactionOf(state.nextId(), reaction) };
}

/** Needs the workflow's file on the branch. */
function dispatch({ state, parameters, body }: Context): Reply {
  const { workflow_id: file = "" } = parameters;
  if (!state.files.has(`.github/workflows/${file}`)) return notFound();
  state.dispatches.push({ file, ref: String(body.ref), inputs: { ...(body.inputs as Record<string, string>) } });
  return { status: 204 };
}

function cancel({ state, parameters }: Context): Reply {
  const run = state.run(Number(parameters.run_id));
  if (run === undefined) return notFound();
  if (run.status === "completed") return refusal(409, "Cannot cancel a workflow run that is completed.");
  Object.assign(run, { status: "completed", conclusion: "cancelled" });
  return { status: 202, body: {} };
}
