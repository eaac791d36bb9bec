/** What a route of the double is given, and the answers that routes share. */
import type { Reply } from "./http.js";
import type { Account, Permissions, State } from "./state.js";

export interface Context {
  readonly state: State;
  readonly owner: string;
  readonly repo: string;
  /** The API's base and that of the blobs. */
  readonly url: string;
  readonly blobUrl: string;
  readonly account: Account;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** The body as it was sent. */
  readonly file: { readonly bytes: Buffer; readonly contentType: string };
  /** Address of the request without its query, for the links to other pages. */
  readonly address: string;
}

export interface Route {
  readonly method: string;
  /** As in GitHub's OpenAPI description. */
  readonly template: string;
  /** Any one of these is enough; an empty list: the route decides. */
  readonly scopes: readonly (keyof Permissions)[];
  readonly handle: (context: Context) => Reply;
}

export function notFound(): Reply {
  return refusal(404, "Not Found");
}

export function refusal(status: number, message: string, more: Readonly<Record<string, unknown>> = {}): Reply {
  return {
    status,
    body: { message, ...more, documentation_url: "https://docs.github.com/rest", status: String(status) },
  };
}

/** One page of what a listing has, as `per_page` and `page` ask for it. */
export function pageOf<Item>({ query, address }: Context, items: readonly Item[]) {
  const size = Math.min(Number(query.per_page ?? 30), 100);
  const page = Number(query.page ?? 1);
  const last = Math.max(1, Math.ceil(items.length / size));
  const link = (target: number, rel: string) =>
    `<${address}?${new URLSearchParams({ ...query, page: String(target) })}>; rel="${rel}"`;
  const before = page > 1 ? [link(page - 1, "prev"), link(1, "first")] : [];
  const after = page < last ? [link(page + 1, "next"), link(last, "last")] : [];
  const links = [...before, ...after];
  return {
    items: items.slice((page - 1) * size, page * size),
    headers: links.length > 0 ? { link: links.join(", ") } : {},
  };
}
