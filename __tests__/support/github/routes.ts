/** The part of GitHub's REST API that the product uses, over the double's state. */
import { basename, dirname } from "node:path";
import * as shape from "./factories.js";
import type { Received, Reply } from "./http.js";
import {
  type Account,
  type Permissions,
  type State,
  type StoredAsset,
  type StoredRelease,
  signedPath,
} from "./state.js";

/** What a route is given. */
interface Context {
  readonly state: State;
  /** The API's base, and that of the blobs. */
  readonly url: string;
  readonly blobUrl: string;
  readonly account: Account;
  /** What is between slashes in the route's first braces; and as a number. */
  readonly name: string;
  readonly id: number;
  readonly body: Readonly<Record<string, unknown>>;
  readonly received: Received;
}

/** Thrown where GitHub refuses. */
export class Refusal extends Error implements Reply {
  readonly status: number;
  readonly body: object;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
    const errors = [{ resource: "", field: "body", code: "custom", message }];
    this.body = status === 422 ? { message: "Validation Failed", errors } : { message };
  }
}

/** https://docs.github.com/rest/issues/comments: longer ones are refused with 422. */
const MAX_COMMENT_LENGTH = 65_536;
/** GitHub's own message names it. */
const MAX_BODY_LENGTH = 125_000;

/** Method and path as in GitHub's description, without the repository. */
const OF_REPOSITORY: Readonly<Record<string, (context: Context) => Reply>> = {
  "GET /issues/{issue_number}/comments"(context) {
    const wanted = knownIssue(context);
    const comments = context.state.comments.filter(({ issue }) => issue === wanted);
    return page(context, comments, shape.commentOf);
  },
  "POST /issues/{issue_number}/comments"(context) {
    const { state, account, id: issue } = context;
    const body = commentText(context, knownIssue(context));
    const now = new Date().toISOString();
    const comment = { id: state.nextId(), issue, login: account.login, body, createdAt: now, updatedAt: now };
    state.comments.push(comment);
    return ok(shape.commentOf(comment), 201);
  },
  "GET /issues/comments/{comment_id}": ({ state, id }) => ok(shape.commentOf(byId(state.comments, id))),
  "PATCH /issues/comments/{comment_id}"(context) {
    const comment = byId(context.state.comments, context.id);
    comment.body = commentText(context, comment.issue);
    comment.updatedAt = new Date().toISOString();
    return ok(shape.commentOf(comment));
  },
  "DELETE /issues/comments/{comment_id}"({ state: { comments }, id }) {
    comments.splice(comments.indexOf(byId(comments, id)), 1);
    return { status: 204 };
  },
  "POST /issues/comments/{comment_id}/reactions": (context) =>
    react(context, byId(context.state.comments, context.id).issue, context.id),
  "POST /issues/{issue_number}/reactions": (context) => react(context, context.id, null),
  "GET /pulls"(context) {
    const { state = "open", head, base } = context.received.query;
    const matching = context.state.pulls
      .filter((pull) => state === "all" || pull.state === state)
      .filter((pull) => !head?.includes(":") || head === `${pull.headRepository?.split("/")[0]}:${pull.headRef}`)
      .filter((pull) => base === undefined || base === pull.baseRef)
      .toSorted((a, b) => b.number - a.number);
    return page(context, matching, shape.pullOf);
  },
  "GET /pulls/{pull_number}": ({ state, id }) => ok(shape.pullOf(found(state.pulls.find((one) => one.number === id)))),
  "GET /actions/workflows/{workflow_id}/runs"(context) {
    const { branch, event, status, head_sha: sha } = context.received.query;
    const matching = context.state.runs
      .filter((run) => run.workflowFile === context.name)
      .filter((run) => branch === undefined || run.headBranch === branch)
      .filter((run) => event === undefined || run.event === event)
      .filter((run) => status === undefined || run.status === status || run.conclusion === status)
      .filter((run) => sha === undefined || run.headSha === sha)
      .toSorted((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt) || b.id - a.id);
    return counted("workflow_runs", page(context, matching, shape.runOf), matching.length);
  },
  /** Needs the workflow's file on the branch. */
  "POST /actions/workflows/{workflow_id}/dispatches"({ state, name: file, body: { ref, inputs } }) {
    found(state.files.get(`.github/workflows/${file}`));
    state.dispatches.push({ file, ref: String(ref), inputs: inputs as Record<string, string> });
    return { status: 204 };
  },
  "GET /actions/runs/{run_id}": ({ state, id }) => ok(shape.runOf(byId(state.runs, id))),
  "POST /actions/runs/{run_id}/cancel"({ state, id }) {
    const run = byId(state.runs, id);
    if (run.status === "completed") throw new Refusal(409, "Cannot cancel a workflow run that is completed.");
    Object.assign(run, { status: "completed", conclusion: "cancelled" });
    return ok({}, 202);
  },
  /** The double keeps the last attempt only. */
  "GET /actions/runs/{run_id}/attempts/{attempt_number}": ({ state, id, received }) =>
    ok(shape.runOf(found(state.runs.find((run) => run.id === id && received.path.endsWith(`/${run.attempt}`))))),
  "GET /actions/runs/{run_id}/artifacts": (context) => artifacts(context, byId(context.state.runs, context.id).id),
  "GET /actions/artifacts": (context) => artifacts(context),
  "GET /actions/artifacts/{artifact_id}/{archive_format}"({ state, id, blobUrl }) {
    if (byId(state.artifacts, id).expired) throw new Refusal(410, "Artifact has expired");
    return { status: 302, headers: { location: `${blobUrl}${signedPath(id)}` } };
  },
  "GET /compare/{basehead}": ({ state, name }) => ok(shape.comparisonOf(name, found(state.comparisons.get(name)))),
  "GET /contents/{path}"({ state, name: path }) {
    const inFolder = [...state.files].filter(([name]) => dirname(name) === path);
    if (inFolder.length > 0)
      return ok(
        inFolder.map(([name, text]) => ({ name: basename(name), path: name, type: "file", size: text.length })),
      );
    const content = Buffer.from(found(state.files.get(path))).toString("base64");
    return ok({ type: "file", encoding: "base64", path, content });
  },
  "GET /commits/{ref}"({ state, name }) {
    const wanted = state.branches.get(name) ?? name;
    const short = /^[0-9a-f]{4,39}$/.test(wanted);
    const fitting = [...state.commits.values()].filter(({ sha }) => (short ? sha.startsWith(wanted) : sha === wanted));
    const [commit, another] = fitting;
    if (!commit || another) throw new Refusal(422, `No commit found for SHA: ${name}`);
    return ok(shape.commitOf(commit));
  },
  /** Newest first. */
  "GET /activity"(context) {
    const { ref } = context.received.query;
    const pushes = context.state.pushes.filter((push) => ref === undefined || push.ref === ref);
    return page(context, pushes.toReversed(), ({ at: timestamp, ...push }) => ({ ...push, timestamp }));
  },
  "GET /collaborators/{username}/permission"({ state, name }) {
    const role = state.roles.get(name) ?? "read";
    const permission = { maintain: "write", triage: "read" }[role] ?? role;
    return ok({ permission, role_name: role, user: role === "none" ? null : shape.userOf(name) });
  },
  "GET /releases": (context) =>
    page(context, shownReleases(context).toReversed(), (release) => shape.releaseOf(context.url, release)),
  /** Never a draft, as at GitHub. */
  "GET /releases/tags/{tag}": ({ state, url, name }) =>
    ok(shape.releaseOf(url, found(state.releases.find(({ tag, draft }) => !draft && tag === name)))),
  "GET /releases/{release_id}": (context) => ok(shape.releaseOf(context.url, byId(shownReleases(context), context.id))),
  "PATCH /releases/{release_id}"(context) {
    const release = byId(shownReleases(context), context.id);
    const { name: _, body, draft, ...others } = context.body;
    if (release.immutable && (draft !== undefined || Object.keys(others).length > 0))
      throw new Refusal(422, "Only the title and the notes of an immutable release can be modified");
    if (typeof body === "string" && [...body].length > MAX_BODY_LENGTH)
      throw new Refusal(422, `body is too long (maximum is ${MAX_BODY_LENGTH} characters)`);
    if (typeof body === "string") release.body = body;
    if (typeof draft === "boolean") release.draft = draft;
    return ok(shape.releaseOf(context.url, release));
  },
  "GET /releases/{release_id}/assets": (context) =>
    page(context, byId(shownReleases(context), context.id).assets, shape.assetOf),
  /** GitHub has it on another host, which `upload_url` names. */
  "POST /releases/{release_id}/assets"(context) {
    const { immutable, assets } = byId(shownReleases(context), context.id);
    const { query, headers, bytes } = context.received;
    const { name = "" } = query;
    // GitHub's description has no body for this answer.
    if (immutable || assets.some((asset) => asset.name === name)) return { status: 422 };
    const asset = { id: context.state.nextId(), name, contentType: headers["content-type"] ?? "", bytes };
    assets.push(asset);
    return ok(shape.assetOf(asset), 201);
  },
  "DELETE /releases/assets/{asset_id}"(context) {
    const { release, asset } = withAsset(context);
    if (release.immutable) throw new Refusal(422, "Cannot delete a file of an immutable release");
    release.assets.splice(release.assets.indexOf(asset), 1);
    return { status: 204 };
  },
  "PATCH /releases/assets/{asset_id}"(context) {
    const { release, asset } = withAsset(context);
    const { name } = context.body;
    if (release.immutable || release.assets.some((one) => one.name === name))
      throw new Refusal(422, "The name is taken");
    if (typeof name === "string") asset.name = name;
    return ok(shape.assetOf(asset));
  },
};

/** Any one is enough, by the first word of the path; none: the route decides. Others need `contents`. */
const SCOPES: Readonly<Record<string, readonly (keyof Permissions)[]>> = {
  issues: ["issues", "pullRequests"],
  pulls: ["pullRequests"],
  actions: ["actions"],
  collaborators: [],
};

const ROUTES = Object.entries(OF_REPOSITORY).map(([key, handle]) => {
  const [method = "", path = ""] = key.split(" ");
  const template = `/repos/{owner}/{repo}${path}`;
  const pattern = new RegExp(`^${template.replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}$`);
  return { method, template, pattern, scopes: SCOPES[path.split("/")[1] ?? ""] ?? ["contents"], handle };
});
ROUTES.push({ method: "GET", template: "/user", pattern: /^\/user$/, scopes: [], handle: user });

export function findRoute(method: string, path: string) {
  const route = ROUTES.find((one) => one.method === method && one.pattern.test(path));
  const values = Object.entries(route?.pattern.exec(path)?.groups ?? {});
  const parameters = Object.fromEntries(values.map(([name, value]) => [name, decodeURIComponent(value)]));
  return route && { ...route, parameters };
}

function user({ account }: Context): Reply {
  if (account.kind !== "user") throw new Refusal(403, "Resource not accessible by integration");
  return ok(shape.userOf(account.login));
}

function ok(body: unknown, status = 200): Reply {
  return { status, body };
}

/** One page of what a listing has, as `per_page` and `page` ask for it. */
function page<Item>({ url, received: { query, path } }: Context, all: readonly Item[], of: (item: Item) => unknown) {
  const size = Math.min(Number(query.per_page ?? 30), 100);
  const number = Number(query.page ?? 1);
  const last = Math.max(1, Math.ceil(all.length / size));
  const linkTo = (target: number, rel: string) =>
    `<${url}${path}?${new URLSearchParams({ ...query, page: `${target}` })}>; rel="${rel}"`;
  const before = number > 1 ? [linkTo(number - 1, "prev"), linkTo(1, "first")] : [];
  const after = number < last ? [linkTo(number + 1, "next"), linkTo(last, "last")] : [];
  const link = [...before, ...after].join(", ");
  return {
    status: 200,
    headers: link === "" ? {} : { link },
    body: all.slice((number - 1) * size, number * size).map((item) => of(item)),
  };
}

function counted(name: string, listed: Reply, total_count: number): Reply {
  return { ...listed, body: { total_count, [name]: listed.body } };
}

function found<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Refusal(404, "Not Found");
  return item;
}

function byId<Item extends { readonly id: number }>(items: readonly Item[], wanted: number): Item {
  return found(items.find(({ id }) => id === wanted));
}

function knownIssue({ state, id }: Context): number {
  return found(
    [...state.pulls.map(({ number }) => number), ...state.comments.map(({ issue }) => issue)].find((n) => n === id),
  );
}

function refuseLocked({ pulls }: State, issue: number, what: string): void {
  if (pulls.some(({ number, locked }) => number === issue && locked))
    throw new Refusal(403, `Unable to create ${what} because issue is locked.`);
}

/** A locked conversation takes neither a new comment nor a change of an old one. */
function commentText({ state, body }: Context, issue: number): string {
  refuseLocked(state, issue, "comment");
  const text = String(body.body ?? "");
  if (text.trim() === "") throw new Refusal(422, "Body cannot be blank");
  if (text.length > MAX_COMMENT_LENGTH)
    throw new Refusal(422, `Body is too long (maximum is ${MAX_COMMENT_LENGTH} characters)`);
  return text;
}

function react({ state, account, body }: Context, issue: number, comment: number | null): Reply {
  refuseLocked(state, issue, "reaction");
  const reaction = { issue, comment, login: account.login, content: String(body.content) };
  const known = state.reactions.some((one) => JSON.stringify(one) === JSON.stringify(reaction));
  if (!known) state.reactions.push(reaction);
  return ok({ content: reaction.content }, known ? 200 : 201);
}

function artifacts(context: Context, of?: number): Reply {
  const { name } = context.received.query;
  const matching = context.state.artifacts
    .filter((one) => (of === undefined || one.runId === of) && (name === undefined || one.name === name))
    .toSorted((a, b) => b.id - a.id);
  return counted("artifacts", page(context, matching, shape.artifactOf), matching.length);
}

/** Drafts are shown to tokens that can write only. */
function shownReleases({ state, account }: Context): StoredRelease[] {
  return state.releases.filter(({ draft }) => !draft || account.permissions.contents === "write");
}

function withAsset({ state, id }: Context): { readonly release: StoredRelease; readonly asset: StoredAsset } {
  const all = state.releases.flatMap((release) => release.assets.map((asset) => ({ release, asset })));
  return found(all.find(({ asset }) => asset.id === id));
}
