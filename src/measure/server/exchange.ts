/** The requests of a row as bytes, and what is expected of the answers: given in the scenario file, or learned. */
import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { requestsOf } from "../../plan/requests-of.js";
import type { BodyCheck, PlannedRequest, PlannedRow } from "../../plan/types.js";
import type { ExpectedAnswer } from "../../results/answers.js";
import { bodyBytes } from "./body.js";
import type { BodyRule, Expected, SizeRange } from "./expected.js";
import { isLearned, LearnedAnswers } from "./learned.js";

export interface Route {
  readonly request: PlannedRequest;
  readonly weight: number;
  /** What the scenario file says about the body; undefined: it is learned. */
  readonly rule: BodyRule | undefined;
}

export interface Exchange {
  /** The request's; all requests of a row have the same. */
  readonly body: Buffer | undefined;
  readonly routes: readonly Route[];
  readonly learned: LearnedAnswers;
}

/** What every answer under load is checked for. */
export interface RouteAnswer {
  readonly path: string;
  readonly weight: number;
  readonly status: number;
  /** Of the body; undefined: not checked. */
  readonly size: SizeRange | undefined;
}

/** Bytes that no body has. */
export const ANY_SIZE = 2 ** 50;

/** @param learned what the side answered before; @throws BodyError naming a file that is missing */
export async function makeExchange(
  row: PlannedRow,
  filesDir: string,
  learned: LearnedAnswers = new LearnedAnswers(),
): Promise<Exchange> {
  const { body } = row.request;
  return {
    body: body === undefined ? undefined : await bodyBytes(body, filesDir),
    routes: await Promise.all(
      requestsOf(row).map(async ({ request, weight }) => ({
        request,
        weight,
        rule: await ruleOf(request.expect.body, filesDir),
      })),
    ),
    learned,
  };
}

async function ruleOf(check: BodyCheck, filesDir: string): Promise<BodyRule | undefined> {
  switch (check.kind) {
    case "learned":
      return undefined;
    case "any":
      return { kind: "any" };
    case "size":
      return { kind: "size", size: { least: check.minBytes, most: check.maxBytes } };
    case "json":
      return { kind: "json", subset: check.subset };
    case "regex":
      return { kind: "regex", pattern: new RegExp(check.pattern, "u") };
    default:
      return { kind: "bytes", bytes: await bodyBytes(check, filesDir) };
  }
}

/** What a single answer is checked for. Sizes that are only learned are left to the load, which sees every answer. */
export function expectedOf(
  { request, rule }: Route,
  learned: LearnedAnswers,
): Expected & { readonly status: number | undefined } {
  const { status, type } = request.expect;
  const known = isLearned(request) ? learned.of(request) : undefined;
  return {
    status: status === "learned" ? known?.status : status,
    type: type ?? known?.type,
    body: rule ?? { kind: "any" },
  };
}

/** @throws Error for a request that was never answered */
export function routeAnswers({ routes, learned }: Exchange): RouteAnswer[] {
  return routes.map((route) => {
    const { request, weight } = route;
    const { status } = expectedOf(route, learned);
    if (status === undefined) throw new Error(`request "${request.name}" was not answered`);
    return { path: request.path, weight, status, size: sizeUnderLoad(route, learned) ?? notEmpty(route, learned) };
  });
}

function sizeUnderLoad({ request, rule }: Route, learned: LearnedAnswers): SizeRange | undefined {
  if (rule?.kind === "bytes") return { least: rule.bytes.length, most: rule.bytes.length };
  if (rule?.kind === "size") return rule.size;
  return rule?.kind === "any" ? undefined : learned.of(request)?.size;
}

/** Where the size is not learned: an error often has no body. */
function notEmpty({ request, rule }: Route, learned: LearnedAnswers): SizeRange | undefined {
  const known = rule === undefined ? learned.of(request) : undefined;
  return known === undefined || known.mayBeEmpty ? undefined : { least: 1, most: ANY_SIZE };
}

/** In the bodies of a request and its right answer. Undefined for several requests, and where the answer's size varies. */
export function bytesPerRequest({ body, routes, learned }: Exchange): number | undefined {
  const [route, ...others] = routes;
  const size = route && others.length === 0 ? sizeUnderLoad(route, learned) : undefined;
  return size === undefined || size.least < size.most ? undefined : size.most + (body?.length ?? 0);
}

/** For the results file; a request that was not answered yet is left out. */
export function expectedAnswers({ routes, learned }: Exchange): ExpectedAnswer[] {
  return routes.flatMap((route): ExpectedAnswer[] => {
    const { request, weight, rule } = route;
    const { status, type } = expectedOf(route, learned);
    if (status === undefined) return [];
    const size = sizeUnderLoad(route, learned);
    const known = isLearned(request) ? learned.of(request) : undefined;
    return [
      {
        request: request.name,
        ...(routes.length > 1 && { weight }),
        status,
        ...(size && { size: size.least === size.most ? size.least : [size.least, size.most] }),
        ...(type !== undefined && { type }),
        checked: checkedBy(rule, size),
        ...(rule === undefined && { learned: true }),
        ...(known?.digest !== undefined && { digest: known.digest }),
      },
    ];
  });
}

function checkedBy(rule: BodyRule | undefined, size: SizeRange | undefined): ExpectedAnswer["checked"] {
  if (rule === undefined) return size ? "size" : "none";
  if (rule.kind === "bytes") return "exact";
  return rule.kind === "any" ? "none" : rule.kind;
}

/** The request's body as a file for the load generator; undefined where it has none. */
export async function writeBody({ body, routes }: Exchange, tempDir: string): Promise<string | undefined> {
  if (body === undefined) return undefined;
  // Base and head are loaded at the same time, and may send different files under one name.
  const digest = createHash("sha256").update(body).digest("hex").slice(0, 8);
  const path = join(tempDir, `body-${routes[0]?.request.name}-${digest}`);
  await writeFile(path, body);
  return path;
}
