/** The part of GitHub's REST API that the product uses, over the double's state. */
import { artifactOf, commentOf, commitOf, comparisonOf, fileOf, privateUser, pullOf, runOf } from "./factories.js";
import type { Reply } from "./http.js";
import { RELEASE_ROUTES } from "./release-routes.js";
import { REQUEST_ROUTES } from "./request-routes.js";
import { type Context, notFound, pageOf, type Route, refusal } from "./route.js";
import type { StoredArtifact, StoredComment, StoredPull, StoredRun } from "./state.js";

const REPO = "/repos/{owner}/{repo}";
/** https://docs.github.com/rest/issues/comments: longer ones are refused with 422. */
const MAX_COMMENT_LENGTH = 65_536;

export const ROUTES: readonly Route[] = [
  { method: "GET", template: "/user", scopes: [], handle: user },
  {
    method: "GET",
    template: `${REPO}/issues/{issue_number}/comments`,
    scopes: ["issues", "pullRequests"],
    handle: listComments,
  },
  {
    method: "POST",
    template: `${REPO}/issues/{issue_number}/comments`,
    scopes: ["issues", "pullRequests"],
    handle: createComment,
  },
  {
    method: "GET",
    template: `${REPO}/issues/comments/{comment_id}`,
    scopes: ["issues", "pullRequests"],
    handle: (context) => withComment(context, (comment) => ({ status: 200, body: commentOf(context, comment) })),
  },
  {
    method: "PATCH",
    template: `${REPO}/issues/comments/{comment_id}`,
    scopes: ["issues", "pullRequests"],
    handle: (context) => withComment(context, (comment) => updateComment(context, comment)),
  },
  {
    method: "DELETE",
    template: `${REPO}/issues/comments/{comment_id}`,
    scopes: ["issues", "pullRequests"],
    handle: (context) => withComment(context, (comment) => deleteComment(context, comment)),
  },
  { method: "GET", template: `${REPO}/pulls`, scopes: ["pullRequests"], handle: listPulls },
  {
    method: "GET",
    template: `${REPO}/pulls/{pull_number}`,
    scopes: ["pullRequests"],
    handle: (context) => {
      const pull = context.state.pull(Number(context.parameters.pull_number));
      return pull ? { status: 200, body: pullOf(context, pull) } : notFound();
    },
  },
  {
    method: "GET",
    template: `${REPO}/actions/workflows/{workflow_id}/runs`,
    scopes: ["actions"],
    handle: listRuns,
  },
  {
    method: "GET",
    template: `${REPO}/actions/runs/{run_id}`,
    scopes: ["actions"],
    handle: (context) => {
      const run = context.state.run(Number(context.parameters.run_id));
      return run ? { status: 200, body: runOf(context, run) } : notFound();
    },
  },
  {
    method: "GET",
    template: `${REPO}/actions/runs/{run_id}/attempts/{attempt_number}`,
    scopes: ["actions"],
    // The double keeps the last attempt only.
    handle: (context) => {
      const run = context.state.run(Number(context.parameters.run_id));
      const wanted = Number(context.parameters.attempt_number);
      return run?.attempt === wanted ? { status: 200, body: runOf(context, run) } : notFound();
    },
  },
  {
    method: "GET",
    template: `${REPO}/actions/runs/{run_id}/artifacts`,
    scopes: ["actions"],
    handle: (context) => {
      const runId = Number(context.parameters.run_id);
      return context.state.run(runId) ? listArtifacts(context, (artifact) => artifact.runId === runId) : notFound();
    },
  },
  {
    method: "GET",
    template: `${REPO}/actions/artifacts`,
    scopes: ["actions"],
    handle: (context) => listArtifacts(context, () => true),
  },
  {
    method: "GET",
    template: `${REPO}/actions/artifacts/{artifact_id}/{archive_format}`,
    scopes: ["actions"],
    handle: downloadArtifact,
  },
  { method: "GET", template: `${REPO}/compare/{basehead}`, scopes: ["contents"], handle: compare },
  {
    method: "GET",
    template: `${REPO}/contents/{path}`,
    scopes: ["contents"],
    handle: (context) => {
      const { path = "" } = context.parameters;
      const text = context.state.files.get(path);
      return text === undefined ? notFound() : { status: 200, body: fileOf(context, path, text) };
    },
  },
  { method: "GET", template: `${REPO}/commits/{ref}`, scopes: ["contents"], handle: commit },
  ...RELEASE_ROUTES,
  ...REQUEST_ROUTES,
];

function user({ account }: Context): Reply {
  return account.kind === "user"
    ? { status: 200, body: privateUser(account.login) }
    : refusal(403, "Resource not accessible by integration");
}

function listComments(context: Context): Reply {
  const issue = Number(context.parameters.issue_number);
  if (!issueExists(context, issue)) return notFound();
  const comments = context.state.comments.filter((comment) => comment.issue === issue);
  const { items, headers } = pageOf(context, comments);
  return { status: 200, headers, body: items.map((comment) => commentOf(context, comment)) };
}

function createComment(context: Context): Reply {
  const { state, account, parameters } = context;
  const issue = Number(parameters.issue_number);
  if (!issueExists(context, issue)) return notFound();
  const refused = refusedComment(context, issue);
  if (refused) return refused;
  const now = new Date().toISOString();
  const comment: StoredComment = {
    id: state.nextId(),
    issue,
    login: account.login,
    body: String(context.body.body),
    createdAt: now,
    updatedAt: now,
  };
  state.comments.push(comment);
  const body = commentOf(context, comment);
  return { status: 201, headers: { location: body.url }, body };
}

function updateComment(context: Context, comment: StoredComment): Reply {
  const refused = refusedComment(context, comment.issue);
  if (refused) return refused;
  comment.body = String(context.body.body);
  comment.updatedAt = new Date().toISOString();
  return { status: 200, body: commentOf(context, comment) };
}

function deleteComment({ state }: Context, comment: StoredComment): Reply {
  state.comments.splice(state.comments.indexOf(comment), 1);
  return { status: 204 };
}

/** A locked conversation takes neither a new comment nor a change of an old one. */
function refusedComment({ state, body }: Context, issue: number): Reply | undefined {
  if (state.pull(issue)?.locked) return refusal(403, "Unable to create comment because issue is locked.");
  const text = String(body.body ?? "");
  if (text.trim() === "") return invalidComment("Body cannot be blank");
  if (text.length > MAX_COMMENT_LENGTH) {
    return invalidComment(`Body is too long (maximum is ${MAX_COMMENT_LENGTH} characters)`);
  }
  return undefined;
}

function invalidComment(message: string): Reply {
  const error = { resource: "IssueComment", code: "unprocessable", field: "data", message };
  return refusal(422, "Validation Failed", { errors: [error] });
}

function withComment(context: Context, handle: (comment: StoredComment) => Reply): Reply {
  const comment = context.state.comment(Number(context.parameters.comment_id));
  return comment ? handle(comment) : notFound();
}

function issueExists({ state }: Context, issue: number): boolean {
  return state.pull(issue) !== undefined || state.comments.some((comment) => comment.issue === issue);
}

function listPulls(context: Context): Reply {
  const { state: wanted = "open", head, base } = context.query;
  const matching = context.state.pulls
    .filter((pull) => wanted === "all" || pull.state === wanted)
    .filter((pull) => head === undefined || !head.includes(":") || head === labelOf(pull))
    .filter((pull) => base === undefined || base === pull.baseRef)
    .toSorted((a, b) => b.number - a.number);
  const { items, headers } = pageOf(context, matching);
  return { status: 200, headers, body: items.map((pull) => pullOf(context, pull)) };
}

function labelOf(pull: StoredPull): string {
  return `${pull.headRepository?.split("/")[0] ?? "unknown"}:${pull.headRef}`;
}

function listRuns(context: Context): Reply {
  const { workflow_id: workflow } = context.parameters;
  const { branch, event, status, head_sha: sha } = context.query;
  const matching = context.state.runs
    .filter((run) => run.workflowFile === workflow)
    .filter((run) => branch === undefined || run.headBranch === branch)
    .filter((run) => event === undefined || run.event === event)
    .filter((run) => status === undefined || run.status === status || run.conclusion === status)
    .filter((run) => sha === undefined || run.headSha === sha)
    .toSorted(byAgeOfRun);
  const { items, headers } = pageOf(context, matching);
  const body = { total_count: matching.length, workflow_runs: items.map((run) => runOf(context, run)) };
  return { status: 200, headers, body };
}

function byAgeOfRun(a: StoredRun, b: StoredRun): number {
  return Date.parse(b.createdAt) - Date.parse(a.createdAt) || b.id - a.id;
}

function listArtifacts(context: Context, belongs: (artifact: StoredArtifact) => boolean): Reply {
  const { name } = context.query;
  const matching = context.state.artifacts
    .filter(belongs)
    .filter((artifact) => name === undefined || artifact.name === name)
    .toSorted((a, b) => b.id - a.id);
  const { items, headers } = pageOf(context, matching);
  const body = {
    total_count: matching.length,
    artifacts: items.map((one) => artifactOf(context, context.state.run(one.runId), one)),
  };
  return { status: 200, headers, body };
}

function downloadArtifact({ state, parameters, blobUrl }: Context): Reply {
  const artifact = state.artifacts.find(({ id }) => id === Number(parameters.artifact_id));
  if (artifact === undefined || parameters.archive_format !== "zip") return notFound();
  if (artifact.expired) return refusal(410, "Artifact has expired");
  return { status: 302, headers: { location: `${blobUrl}${state.signedPath(artifact.id)}` } };
}

function compare(context: Context): Reply {
  const { basehead = "" } = context.parameters;
  const comparison = context.state.comparisons.get(basehead);
  return comparison ? { status: 200, body: comparisonOf(context, basehead, comparison) } : notFound();
}

function commit(context: Context): Reply {
  const { ref = "" } = context.parameters;
  const named = context.state.branches.get(ref) ?? ref;
  const short = /^[0-9a-f]{4,39}$/.test(named);
  const fitting = [...context.state.commits.values()].filter(
    ({ sha }) => sha === named || (short && sha.startsWith(named)),
  );
  const [found, another] = fitting;
  return found && !another
    ? { status: 200, body: commitOf(context, found) }
    : refusal(422, `No commit found for SHA: ${ref}`);
}
