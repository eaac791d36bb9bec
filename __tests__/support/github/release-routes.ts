/** Releases, over the double's state. */
import { assetOf, releaseOf } from "./factories.js";
import type { Reply } from "./http.js";
import { type Context, notFound, pageOf, type Route, refusal } from "./route.js";
import type { StoredRelease } from "./state.js";

const RELEASES = "/repos/{owner}/{repo}/releases";
/** GitHub's own message names it. */
const MAX_BODY_LENGTH = 125_000;

export const RELEASE_ROUTES: readonly Route[] = [
  { method: "GET", template: RELEASES, scopes: ["contents"], handle: list },
  { method: "GET", template: `${RELEASES}/tags/{tag}`, scopes: ["contents"], handle: byTag },
  {
    method: "GET",
    template: `${RELEASES}/{release_id}`,
    scopes: ["contents"],
    handle: (context) => withRelease(context, (release) => ({ status: 200, body: releaseOf(context, release) })),
  },
  {
    method: "PATCH",
    template: `${RELEASES}/{release_id}`,
    scopes: ["contents"],
    handle: (context) => withRelease(context, (release) => change(context, release)),
  },
  {
    method: "GET",
    template: `${RELEASES}/{release_id}/assets`,
    scopes: ["contents"],
    handle: (context) => withRelease(context, (release) => listAssets(context, release)),
  },
  {
    // GitHub has it on another host, which `upload_url` names.
    method: "POST",
    template: `${RELEASES}/{release_id}/assets`,
    scopes: ["contents"],
    handle: (context) => withRelease(context, (release) => addAsset(context, release)),
  },
  { method: "DELETE", template: `${RELEASES}/assets/{asset_id}`, scopes: ["contents"], handle: deleteAsset },
  { method: "PATCH", template: `${RELEASES}/assets/{asset_id}`, scopes: ["contents"], handle: renameAsset },
];

function listAssets(context: Context, release: StoredRelease): Reply {
  const { items, headers } = pageOf(context, release.assets);
  return { status: 200, headers, body: items.map((asset) => assetOf(context, release, asset)) };
}

function addAsset(context: Context, release: StoredRelease): Reply {
  const { bytes, contentType } = context.file;
  const { name = "" } = context.query;
  // GitHub's description has no body for this answer.
  if (release.immutable || release.assets.some((asset) => asset.name === name)) return { status: 422 };
  const asset = { id: context.state.nextId(), name, contentType, bytes };
  release.assets.push(asset);
  return { status: 201, body: assetOf(context, release, asset) };
}

function deleteAsset({ state, parameters }: Context): Reply {
  const id = Number(parameters.asset_id);
  const release = state.releases.find(({ assets }) => assets.some((asset) => asset.id === id));
  if (!release) return notFound();
  if (release.immutable) return invalid("Cannot delete a file of an immutable release");
  release.assets = release.assets.filter((asset) => asset.id !== id);
  return { status: 204 };
}

function renameAsset(context: Context): Reply {
  const id = Number(context.parameters.asset_id);
  const release = context.state.releases.find(({ assets }) => assets.some((asset) => asset.id === id));
  const asset = release?.assets.find((one) => one.id === id);
  if (!release || !asset) return notFound();
  const { name } = context.body;
  if (release.immutable || release.assets.some((one) => one.name === name)) return invalid("The name is taken");
  if (typeof name === "string") asset.name = name;
  return { status: 200, body: assetOf(context, release, asset) };
}

/** Drafts are shown to tokens that can write only. */
function isShown({ account }: Context, { draft }: StoredRelease): boolean {
  return !draft || account.permissions.contents === "write";
}

function list(context: Context): Reply {
  const shown = context.state.releases.filter((release) => isShown(context, release)).toReversed();
  const { items, headers } = pageOf(context, shown);
  return { status: 200, headers, body: items.map((release) => releaseOf(context, release)) };
}

/** Never a draft, as at GitHub. */
function byTag(context: Context): Reply {
  const found = context.state.releases.find(({ tag, draft }) => !draft && tag === context.parameters.tag);
  return found ? { status: 200, body: releaseOf(context, found) } : notFound();
}

function withRelease(context: Context, handle: (release: StoredRelease) => Reply): Reply {
  const found = context.state.releases.find(({ id }) => id === Number(context.parameters.release_id));
  return found && isShown(context, found) ? handle(found) : notFound();
}

function change(context: Context, release: StoredRelease): Reply {
  const { body, ...others } = context.body;
  if (release.immutable && Object.keys(others).some((field) => field !== "name"))
    return invalid("Only the title and the notes of an immutable release can be modified");
  if (typeof body === "string") {
    if ([...body].length > MAX_BODY_LENGTH)
      return invalid(`body is too long (maximum is ${MAX_BODY_LENGTH} characters)`);
    release.body = body;
  }
  if (typeof others.draft === "boolean") release.draft = others.draft;
  return { status: 200, body: releaseOf(context, release) };
}

function invalid(message: string): Reply {
  const error = { resource: "Release", code: "custom", field: "body", message };
  return refusal(422, "Validation Failed", { errors: [error] });
}
