/** The double's plain values in the API's shapes, with every field that GitHub's description requires. */
import {
  type StoredArtifact,
  type StoredAsset,
  type StoredComment,
  type StoredCommit,
  type StoredComparison,
  type StoredPull,
  type StoredRelease,
  type StoredRun,
  sha256,
  shaOf,
} from "./state.js";

/** Whose API it is: its base, and the repository. */
export interface Site {
  readonly url: string;
  readonly owner: string;
  readonly repo: string;
}

const HTML = "https://github.com";
const LONG_AGO = "2020-01-01T00:00:00Z";
const WORKFLOW_ID = 1;

export function commentOf(site: Site, { id, issue, login, body, createdAt, updatedAt }: StoredComment) {
  const repository = repositoryUrl(site);
  return {
    id,
    node_id: nodeId("IC", id),
    url: `${repository}/issues/comments/${id}`,
    html_url: `${HTML}/${fullName(site)}/pull/${issue}#issuecomment-${id}`,
    issue_url: `${repository}/issues/${issue}`,
    body,
    user: userOf(login),
    created_at: createdAt,
    updated_at: updatedAt,
    author_association: "CONTRIBUTOR",
    performed_via_github_app: null,
  };
}

export function userOf(login: string) {
  const url = `https://api.github.com/users/${encodeURIComponent(login)}`;
  const id = numberOf(login);
  return {
    login,
    id,
    node_id: nodeId("U", id),
    avatar_url: `https://avatars.githubusercontent.com/u/${id}?v=4`,
    gravatar_id: "",
    url,
    html_url: `${HTML}/${encodeURIComponent(login)}`,
    ...urls(url, ["followers", "following", "gists", "starred", "subscriptions", "repos", "events", "received_events"]),
    organizations_url: `${url}/orgs`,
    type: login.endsWith("[bot]") ? "Bot" : "User",
    site_admin: false,
  };
}

/** What GET /user says of the one who asks. */
export function privateUser(login: string) {
  return {
    ...userOf(login),
    ...nulls(["name", "company", "blog", "location", "email", "hireable", "bio"]),
    ...zeros(["public_repos", "public_gists", "followers", "following", "private_gists", "total_private_repos"]),
    ...zeros(["owned_private_repos", "disk_usage", "collaborators"]),
    two_factor_authentication: true,
    created_at: LONG_AGO,
    updated_at: LONG_AGO,
  };
}

/** The repository of the site, or a fork of it. */
export function repositoryOf(site: Site, name: string) {
  const [owner = "", repo = ""] = name.split("/");
  return {
    ...smallRepositoryOf(site, name),
    owner: userOf(owner),
    ...zeros(["forks", "forks_count", "stargazers_count", "watchers_count", "watchers", "size", "open_issues_count"]),
    open_issues: 0,
    ...nulls(["license", "homepage", "language", "mirror_url"]),
    git_url: `git://github.com/${name}.git`,
    ssh_url: `git@github.com:${name}.git`,
    clone_url: `${HTML}/${name}.git`,
    svn_url: `${HTML}/${owner}/${repo}`,
    default_branch: "main",
    visibility: "public",
    has_issues: true,
    has_projects: false,
    has_wiki: false,
    has_pages: false,
    has_downloads: false,
    archived: false,
    disabled: false,
    pushed_at: LONG_AGO,
    created_at: LONG_AGO,
    updated_at: LONG_AGO,
  };
}

function smallRepositoryOf(site: Site, name: string) {
  const [owner = "", repo = ""] = name.split("/");
  const id = numberOf(name);
  const url = `${site.url}/repos/${name}`;
  return {
    id,
    node_id: nodeId("R", id),
    name: repo,
    full_name: name,
    owner: userOf(owner),
    private: false,
    html_url: `${HTML}/${name}`,
    description: null,
    fork: name.toLowerCase() !== fullName(site).toLowerCase(),
    url,
    ...urls(url, [
      "assignees",
      "branches",
      "collaborators",
      "comments",
      "commits",
      "compare",
      "contents",
      "contributors",
    ]),
    ...urls(url, ["deployments", "downloads", "events", "forks", "hooks", "issues", "keys", "labels", "languages"]),
    ...urls(url, [
      "merges",
      "milestones",
      "notifications",
      "pulls",
      "releases",
      "stargazers",
      "statuses",
      "subscribers",
    ]),
    ...urls(url, ["subscription", "tags", "teams", "archive", "blobs", "git_commits", "git_refs", "git_tags", "trees"]),
    ...urls(url, ["issue_comment", "issue_events"]),
  };
}

/** With the fields of the single pull request, of which a listing leaves some out. */
export function pullOf(site: Site, pull: StoredPull) {
  const repository = repositoryUrl(site);
  const url = `${repository}/pulls/${pull.number}`;
  const html = `${HTML}/${fullName(site)}/pull/${pull.number}`;
  const issue = `${repository}/issues/${pull.number}`;
  const statuses = `${repository}/statuses/${pull.headSha}`;
  return {
    url,
    id: 10_000 + pull.number,
    node_id: nodeId("PR", pull.number),
    html_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    issue_url: issue,
    commits_url: `${url}/commits`,
    review_comments_url: `${url}/comments`,
    review_comment_url: `${repository}/pulls/comments{/number}`,
    comments_url: `${issue}/comments`,
    statuses_url: statuses,
    number: pull.number,
    state: pull.state,
    locked: pull.locked,
    title: pull.title,
    user: userOf(pull.headRepository?.split("/")[0] ?? "ghost"),
    ...nulls(["body", "milestone", "closed_at", "merged_at", "merge_commit_sha", "assignee", "auto_merge"]),
    ...nulls(["active_lock_reason", "mergeable", "merged_by"]),
    labels: [],
    assignees: [],
    requested_reviewers: [],
    requested_teams: [],
    created_at: LONG_AGO,
    updated_at: LONG_AGO,
    head: tipOf(site, pull.headRef, pull.headSha, pull.headRepository),
    base: tipOf(site, pull.baseRef, pull.baseSha, fullName(site)),
    _links: {
      self: { href: url },
      html: { href: html },
      issue: { href: issue },
      comments: { href: `${issue}/comments` },
      review_comments: { href: `${url}/comments` },
      review_comment: { href: `${repository}/pulls/comments{/number}` },
      commits: { href: `${url}/commits` },
      statuses: { href: statuses },
    },
    author_association: "CONTRIBUTOR",
    draft: false,
    merged: false,
    mergeable_state: "unknown",
    ...zeros(["comments", "review_comments", "commits", "additions", "deletions", "changed_files"]),
    maintainer_can_modify: false,
  };
}

function tipOf(site: Site, ref: string, sha: string, repository: string | undefined) {
  const owner = repository?.split("/")[0];
  return {
    label: `${owner ?? "unknown"}:${ref}`,
    ref,
    sha,
    user: owner === undefined ? null : userOf(owner),
    repo: repository === undefined ? null : repositoryOf(site, repository),
  };
}

export function runOf(site: Site, run: StoredRun) {
  const repository = repositoryUrl(site);
  const url = `${repository}/actions/runs/${run.id}`;
  const author = { name: "Someone", email: "someone@example.com" };
  return {
    id: run.id,
    name: "Benchmark",
    node_id: nodeId("WFR", run.id),
    head_branch: run.headBranch,
    head_sha: run.headSha,
    path: `.github/workflows/${run.workflowFile}`,
    run_number: 1,
    run_attempt: run.attempt,
    event: run.event,
    status: run.status,
    conclusion: run.status === "completed" ? run.conclusion : null,
    workflow_id: WORKFLOW_ID,
    check_suite_id: run.id,
    url,
    html_url: `${HTML}/${fullName(site)}/actions/runs/${run.id}`,
    pull_requests: [],
    created_at: run.createdAt,
    updated_at: run.createdAt,
    run_started_at: run.startedAt ?? run.createdAt,
    jobs_url: `${url}/jobs`,
    logs_url: `${url}/logs`,
    check_suite_url: `${repository}/check-suites/${run.id}`,
    artifacts_url: `${url}/artifacts`,
    cancel_url: `${url}/cancel`,
    rerun_url: `${url}/rerun`,
    previous_attempt_url: run.attempt > 1 ? `${url}/attempts/${run.attempt - 1}` : null,
    workflow_url: `${repository}/actions/workflows/${WORKFLOW_ID}`,
    head_commit: {
      id: run.headSha,
      tree_id: shaOf(`tree of ${run.headSha}`),
      message: "Change",
      timestamp: run.createdAt,
      author,
      committer: author,
    },
    repository: smallRepositoryOf(site, fullName(site)),
    head_repository: run.headRepository === undefined ? null : smallRepositoryOf(site, run.headRepository),
    display_title: run.displayTitle ?? "Change",
  };
}

export function artifactOf(site: Site, run: StoredRun | undefined, artifact: StoredArtifact) {
  const url = `${repositoryUrl(site)}/actions/artifacts/${artifact.id}`;
  return {
    id: artifact.id,
    node_id: nodeId("A", artifact.id),
    name: artifact.name,
    size_in_bytes: artifact.zip.length,
    url,
    archive_download_url: `${url}/zip`,
    expired: artifact.expired,
    digest: artifact.digest,
    created_at: artifact.createdAt,
    updated_at: artifact.createdAt,
    expires_at: new Date(Date.parse(artifact.createdAt) + 90 * 86_400_000).toISOString(),
    workflow_run:
      run === undefined
        ? null
        : {
            id: run.id,
            repository_id: numberOf(fullName(site)),
            ...(run.headRepository === undefined ? {} : { head_repository_id: numberOf(run.headRepository) }),
            head_branch: run.headBranch,
            head_sha: run.headSha,
          },
  };
}

/** A draft has no tag of its own in its address. */
export function releaseOf(site: Site, release: StoredRelease) {
  const { id, tag, body, draft, immutable } = release;
  const url = `${repositoryUrl(site)}/releases/${id}`;
  const html = `${HTML}/${fullName(site)}/releases`;
  return {
    id,
    node_id: nodeId("RE", id),
    url,
    html_url: `${html}/tag/${draft ? `untagged-${id}` : encodeURIComponent(tag)}`,
    assets_url: `${url}/assets`,
    upload_url: `${url}/assets{?name,label}`,
    tarball_url: draft ? null : `${repositoryUrl(site)}/tarball/${tag}`,
    zipball_url: draft ? null : `${repositoryUrl(site)}/zipball/${tag}`,
    tag_name: tag,
    target_commitish: "main",
    name: tag,
    body,
    draft,
    prerelease: false,
    immutable,
    created_at: LONG_AGO,
    updated_at: LONG_AGO,
    published_at: draft ? null : LONG_AGO,
    author: userOf("octocat"),
    assets: release.assets.map((asset) => assetOf(site, release, asset)),
  };
}

/** @param release whose file it is */
export function assetOf(site: Site, { tag }: StoredRelease, { id, name, contentType, bytes }: StoredAsset) {
  return {
    id,
    node_id: nodeId("RA", id),
    url: `${repositoryUrl(site)}/releases/assets/${id}`,
    browser_download_url: `${HTML}/${fullName(site)}/releases/download/${encodeURIComponent(tag)}/${name}`,
    name,
    label: null,
    // What an upload that broke off leaves.
    state: bytes.length === 0 ? "open" : "uploaded",
    content_type: contentType,
    size: bytes.length,
    digest: bytes.length === 0 ? null : sha256(bytes),
    download_count: 0,
    created_at: LONG_AGO,
    updated_at: LONG_AGO,
    uploader: userOf("github-actions[bot]"),
  };
}

export function commitOf(site: Site, { sha, message, parents, byGitHub }: StoredCommit) {
  const repository = repositoryUrl(site);
  const url = `${repository}/commits/${sha}`;
  const author = { name: "Someone", email: "someone@example.com", date: LONG_AGO };
  const tree = shaOf(`tree of ${sha}`);
  return {
    url,
    sha,
    node_id: nodeId("C", numberOf(sha)),
    html_url: `${HTML}/${fullName(site)}/commit/${sha}`,
    comments_url: `${url}/comments`,
    commit: {
      url: `${repository}/git/commits/${sha}`,
      author,
      committer: author,
      message,
      comment_count: 0,
      tree: { sha: tree, url: `${repository}/git/trees/${tree}` },
      verification: verificationOf(byGitHub),
    },
    author: userOf("octocat"),
    committer: userOf(byGitHub ? "web-flow" : "octocat"),
    parents: parents.map((parent) => ({ sha: parent, url: `${repository}/commits/${parent}` })),
  };
}

function verificationOf(signed: boolean) {
  const [reason, signature, payload] = signed
    ? ["valid", "-----BEGIN PGP SIGNATURE-----", "tree"]
    : ["unsigned", null, null];
  return { verified: signed, reason, signature, payload, verified_at: signed ? LONG_AGO : null };
}

export function fileOf(site: Site, path: string, text: string) {
  const url = `${repositoryUrl(site)}/contents/${path}`;
  const html = `${HTML}/${fullName(site)}/blob/main/${path}`;
  const sha = shaOf(text);
  const git = `${repositoryUrl(site)}/git/blobs/${sha}`;
  return {
    type: "file",
    encoding: "base64",
    size: Buffer.byteLength(text),
    name: path.split("/").at(-1) ?? path,
    path,
    content: Buffer.from(text).toString("base64"),
    sha,
    url,
    git_url: git,
    html_url: html,
    download_url: html,
    _links: { self: url, git, html },
  };
}

/** Oldest first and at most 250, as at GitHub; those before the head itself are made up. */
export function comparisonOf(site: Site, basehead: string, { mergeBase, aheadBy, behindBy }: StoredComparison) {
  const [base = "", head = ""] = basehead.split("...");
  const html = `${HTML}/${fullName(site)}/compare/${basehead}`;
  const commit = (sha: string) => commitOf(site, { sha, message: "Change", parents: [], byGitHub: false });
  const count = Math.min(aheadBy, 250);
  return {
    url: `${repositoryUrl(site)}/compare/${basehead}`,
    html_url: html,
    permalink_url: html,
    diff_url: `${html}.diff`,
    patch_url: `${html}.patch`,
    base_commit: commit(base),
    merge_base_commit: commit(mergeBase),
    status: statusOf(aheadBy, behindBy),
    ahead_by: aheadBy,
    behind_by: behindBy,
    total_commits: aheadBy,
    commits: Array.from({ length: count }, (_, i) => commit(i === aheadBy - 1 ? head : shaOf(`${basehead} ${i}`))),
  };
}

function statusOf(aheadBy: number, behindBy: number): string {
  if (aheadBy > 0) return behindBy > 0 ? "diverged" : "ahead";
  return behindBy > 0 ? "behind" : "identical";
}

function fullName({ owner, repo }: Site): string {
  return `${owner}/${repo}`;
}

function repositoryUrl(site: Site): string {
  return `${site.url}/repos/${fullName(site)}`;
}

function nodeId(kind: string, id: number): string {
  return `${kind}_${id.toString(36)}`;
}

/** The same number for the same word. */
function numberOf(word: string): number {
  return Number.parseInt(shaOf(word).slice(0, 8), 16) + 1;
}

function urls<Name extends string>(base: string, names: readonly Name[]): Record<`${Name}_url`, string> {
  const entries = names.map((name) => [`${name}_url`, `${base}/${name}`]);
  return Object.fromEntries(entries) as Record<`${Name}_url`, string>;
}

function nulls<Name extends string>(names: readonly Name[]): Record<Name, null> {
  return Object.fromEntries(names.map((name) => [name, null])) as Record<Name, null>;
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
