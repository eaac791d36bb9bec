/** The double's plain values in the API's shapes: what the product reads. The rest is filled up from GitHub's description. */
import * as state from "./state.js";

const LONG_AGO = "2020-01-01T00:00:00Z";
const PAGE = `https://github.com/${state.OWN}`;

/** The same number for the same word. */
const numberOf = (word: string) => Number.parseInt(state.shaOf(word).slice(0, 8), 16) + 1;

export function userOf(login: string) {
  return { login, id: numberOf(login), type: login.endsWith("[bot]") ? "Bot" : "User" };
}

/** The double's repository, or a fork of it. */
export function repositoryOf(full_name = state.OWN) {
  const [owner = "", name] = full_name.split("/");
  const fork = full_name.toLowerCase() !== state.OWN;
  return { id: numberOf(full_name), name, full_name, owner: userOf(owner), fork, default_branch: "main" };
}

export function commentOf({ id, issue, login, body, createdAt, updatedAt }: state.StoredComment) {
  const html_url = `${PAGE}/pull/${issue}#issuecomment-${id}`;
  return { id, html_url, body, user: userOf(login), created_at: createdAt, updated_at: updatedAt };
}

export function pullOf({ number, state: open, locked, headRepository, ...pull }: state.StoredPull) {
  const repo = headRepository === undefined ? null : repositoryOf(headRepository);
  return {
    number,
    state: open,
    locked,
    user: userOf(headRepository?.split("/")[0] ?? "ghost"),
    head: { ref: pull.headRef, sha: pull.headSha, repo },
    base: { ref: pull.baseRef, sha: pull.baseSha, repo: repositoryOf() },
  };
}

export function runOf(run: state.StoredRun) {
  return {
    id: run.id,
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: `.github/workflows/${run.workflowFile}`,
    run_attempt: run.attempt,
    event: run.event,
    status: run.status,
    conclusion: run.status === "completed" ? run.conclusion : null,
    html_url: `${PAGE}/actions/runs/${run.id}`,
    created_at: run.createdAt,
    run_started_at: run.startedAt ?? run.createdAt,
    head_repository: run.headRepository === undefined ? null : repositoryOf(run.headRepository),
    display_title: run.displayTitle,
  };
}

export function artifactOf({ id, name, zip, expired, digest, createdAt }: state.StoredArtifact) {
  return { id, name, size_in_bytes: zip.length, expired, digest, created_at: createdAt };
}

/** A draft has no tag of its own in its address. @param api the API's base */
export function releaseOf(api: string, { id, tag, body, draft, immutable, assets }: state.StoredRelease) {
  return {
    ...{ id, tag_name: tag, body, draft, immutable, published_at: draft ? null : LONG_AGO },
    html_url: `${PAGE}/releases/tag/${draft ? `untagged-${id}` : encodeURIComponent(tag)}`,
    upload_url: `${api}/repos/${state.OWN}/releases/${id}/assets{?name,label}`,
    assets: assets.map(assetOf),
  };
}

/** Empty: what an upload that broke off leaves. */
export function assetOf({ id, name, contentType, bytes }: state.StoredAsset) {
  const size = bytes.length;
  const ended = size === 0 ? { state: "open", digest: null } : { state: "uploaded", digest: state.sha256(bytes) };
  return { id, name, content_type: contentType, size, ...ended };
}

export function commitOf({ sha, parents, byGitHub }: state.StoredCommit) {
  return {
    sha,
    parents: parents.map((parent) => ({ sha: parent })),
    committer: userOf(byGitHub ? "web-flow" : "octocat"),
    commit: { verification: { verified: byGitHub } },
  };
}

/** Oldest first and at most 250, as at GitHub; those before the head itself are made up. */
export function comparisonOf(basehead: string, { aheadBy, behindBy }: { aheadBy: number; behindBy: number }) {
  const [, head = ""] = basehead.split("...");
  const shas = Array.from({ length: aheadBy }, (_, i) => (i === aheadBy - 1 ? head : state.shaOf(`${basehead} ${i}`)));
  const commits = shas.slice(0, 250).map((sha) => commitOf(state.usualCommit(sha)));
  return { ahead_by: aheadBy, behind_by: behindBy, commits };
}

/** The event file of a `pull_request` run. */
export function pullRequestEvent(pull: state.StoredPull) {
  return { action: "synchronize", number: pull.number, pull_request: pullOf(pull), repository: repositoryOf() };
}

/** The event file of a `workflow_run` job that this run started. */
export function workflowRunEvent(run: state.StoredRun) {
  return { action: "completed", workflow_run: runOf(run), repository: repositoryOf() };
}

/** That of a `pull_request` run which a label started. */
export function labelEvent(pull: state.StoredPull, name: string, login: string) {
  return { ...pullRequestEvent(pull), action: "labeled", label: { name }, sender: userOf(login) };
}

/** The event file of an `issue_comment` run. */
export function commentEvent(pull: state.StoredPull, comment: state.StoredComment, action = "created") {
  const { number, state: open, locked, user } = pullOf(pull);
  return {
    action,
    issue: { number, state: open, locked, user, pull_request: {} },
    comment: { ...commentOf(comment), author_association: "OWNER", performed_via_github_app: null },
    sender: userOf(comment.login),
    repository: repositoryOf(),
  };
}
