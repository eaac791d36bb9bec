/** Which pages are measured: those that were given, else some of the app's own that answer. */
import { InputError } from "../../errors.js";
import { type ChosenRoute, routeName } from "../../init/choice.js";
import type { AppRoute } from "../../measure/preparation/app-import.js";
import { isLoginAddress } from "../../measure/server/login-address.js";
import type { Answer } from "../../measure/server/probe.js";
import type { Inspected } from "./inspection.js";
import type { Asked, FollowRedirect } from "./trial.js";

/** Pages that are proposed: few, so that the first run takes minutes. */
const PROPOSED_MAX = 3;
/** Pages that are asked. */
const ASKED_MAX = 12;

/** Pages that frameworks and admin tools add: what they answer is not the app's own code. */
const ADDED =
  /^\/(docs|redoc|openapi\.json|schema|(?:django-)?admin|__debug__|static|favicon\.ico|robots\.txt|apidocs|flasgger_static|apispec)(\/|_|\.|$)/;

/** GET routes without parameters, the shortest first; "/" where the app names none. */
export function askedRoutes({ routes, host }: Pick<Inspected, "routes" | "host">, builtIn: Names): ChosenRoute[] {
  const usable = routes.filter((route) => isPlain(route) && !ADDED.test(route.path));
  const paths = [...new Set(usable.map(({ path }) => path))].sort((a, b) => rank(a) - rank(b)).slice(0, ASKED_MAX);
  return namedRoutes(paths.length === 0 ? ["/"] : paths, host, builtIn);
}

function isPlain({ methods, parameters, path }: AppRoute): boolean {
  return methods.includes("GET") && !parameters && path.startsWith("/");
}

function rank(path: string): number {
  return path.split("/").filter((part) => part !== "").length;
}

/** Keyed by the names that requests have already. */
type Names = ReadonlyMap<string, unknown>;

/** @param host that the requests have to name */
export function namedRoutes(paths: readonly string[], host: string | null, builtIn: Names): ChosenRoute[] {
  const taken = new Set(builtIn.keys());
  return paths.map((path) => {
    const name = routeName(path, taken);
    taken.add(name);
    return { name, path, headers: host === null ? {} : { host }, status: undefined };
  });
}

/** Follows within the app: `/` of many apps only redirects to their first page. */
export function followWithin(builtIn: Names): FollowRedirect {
  return (asked, known, port) => {
    if (asked.state !== "answered" || known.length >= ASKED_MAX) return undefined;
    const path = redirectPath(asked.answer, asked.route, port);
    if (path === undefined || isLoginAddress(path) || known.some((route) => route.path === path)) return undefined;
    const taken = new Set([...builtIn.keys(), ...known.map(({ name }) => name)]);
    return { ...asked.route, name: routeName(path, taken), path };
  };
}

/** Undefined where the answer is no redirect, or leads to another host. */
function redirectPath({ status, location }: Answer, route: ChosenRoute, port: number): string | undefined {
  if (status < 300 || status > 399 || location === undefined) return undefined;
  const from = `http://127.0.0.1:${port}`;
  const own = new Set([from, `http://localhost:${port}`, `http://${route.headers.host ?? `127.0.0.1:${port}`}`]);
  if (!URL.canParse(location, from + route.path)) return undefined;
  const target = new URL(location, from + route.path);
  return own.has(target.origin) ? target.pathname + target.search : undefined;
}

/** The pages that answered with a status of success. */
export function proposed(asked: readonly Asked[]): ChosenRoute[] {
  const pages = asked.flatMap((one) => {
    if (one.state !== "answered" || one.answer.status < 200 || one.answer.status > 299) return [];
    return [one.route];
  });
  return pages.slice(0, PROPOSED_MAX);
}

/**
 * @param typed paths with blanks or commas between them
 * @throws InputError that names the pages that are not among those that answered
 */
export function typedRoutes(typed: string, routes: readonly ChosenRoute[]): ChosenRoute[] {
  const paths = typed.split(/[\s,]+/).filter((path) => path !== "");
  const unknown = paths.filter((path) => !routes.some((route) => route.path === path));
  const proposal = routes.map(({ path }) => path).join(" ");
  if (unknown.length > 0 || paths.length === 0)
    throw new InputError(
      `"${typed.trim()}" names ${unknown.join(", ") || "no page"}, and the pages to choose from are ${proposal}; --route PATH measures another one`,
    );
  return routes.filter(({ path }) => paths.includes(path));
}

/** Routes that only the user can fill in. */
export function openRoutes(routes: readonly AppRoute[]): string[] {
  const open = routes.filter(
    ({ methods, parameters, path }) => parameters && methods.includes("GET") && !ADDED.test(path),
  );
  return [...new Set(open.map(({ path }) => path))];
}
