/** What GitHub sends for `/bench`, in the API's shapes, and the events that start its job. */
import { commentOf, pullOf, repositoryOf, type Site, userOf } from "./factories.js";
import { type StoredComment, type StoredPull, type StoredPush, type StoredReaction, shaOf } from "./state.js";

const LONG_AGO = "2020-01-01T00:00:00Z";

export function collaboratorOf(login: string, role: string) {
  const permissions = {
    pull: true,
    triage: role !== "read",
    push: ["write", "maintain", "admin"].includes(role),
    maintain: ["maintain", "admin"].includes(role),
    admin: role === "admin",
  };
  return { ...userOf(login), permissions, role_name: role };
}

export function pushOf({ ref, before, after, at }: StoredPush) {
  const id = Number.parseInt(shaOf(`${ref} ${before} ${after}`).slice(0, 8), 16);
  const type = /^0+$/.test(before) ? "branch_creation" : "push";
  return {
    id,
    node_id: `PSH_${id}`,
    before,
    after,
    ref,
    timestamp: at,
    activity_type: type,
    actor: userOf("octocat"),
  };
}

export function reactionOf(id: number, { login, content }: StoredReaction) {
  return { id, node_id: `REA_${id}`, user: userOf(login), content, created_at: LONG_AGO };
}

type Payload = Readonly<Record<string, unknown>>;

/** The event file of an `issue_comment` run. */
export function commentEvent(site: Site, pull: StoredPull, comment: StoredComment, action = "created"): Payload {
  const { url, node_id, id, number, title, state, locked, user } = pullOf(site, pull);
  return {
    action,
    issue: { url, node_id, id, number, title, state, locked, user, pull_request: { url } },
    comment: { ...commentOf(site, comment), author_association: "OWNER" },
    sender: userOf(comment.login),
    repository: repositoryOf(site, `${site.owner}/${site.repo}`),
  };
}

/** The event file of a `pull_request` run that a label started. */
export function labelEvent(site: Site, pull: StoredPull, label: string, login: string): Payload {
  return {
    action: "labeled",
    number: pull.number,
    label: { name: label },
    pull_request: pullOf(site, pull),
    sender: userOf(login),
    repository: repositoryOf(site, `${site.owner}/${site.repo}`),
  };
}
