/** Every way in which servers.yml lets a server be started for HTTP: the rows of a set of its own. */
import { appFolder } from "../../src/plan/app.js";
import type { Planned } from "../../src/plan/plan.js";
import type { KnobVariant, ServerEntry } from "../../src/plan/schema.js";
import type { InterfaceName, PlannedRequest, PlannedRow } from "../../src/plan/types.js";

export interface VariantRow extends Variant {
  readonly title: string;
  readonly server: string;
  readonly app: string;
  readonly request: string;
}

interface Variant {
  readonly http: 1 | 2;
  readonly knobs: Readonly<Record<string, string>>;
  readonly tls?: true;
}

/** Neither gRPC nor the handshake of a websocket. */
export function isHttp({ grpc, expect }: PlannedRequest): boolean {
  return grpc === undefined && expect.status !== 101;
}

/**
 * For every server, interface and app that some row brings together: each HTTP version, and each choice of each knob
 * with the others at their defaults. Only the app that is named after its interface gets all of these; another one says
 * nothing new about a server.
 */
export function variantsOf({ library, sets }: Planned): VariantRow[] {
  const rows = sets.flatMap((set) => set.rows).filter((row) => isHttp(row.request));
  const variants = new Map<string, VariantRow>();
  for (const [name, { value: server }] of library.servers) {
    for (const row of rows.filter((candidate) => candidate.server.name === name)) {
      const app = appOf(row, library);
      const all = app === row.server.interface || isOnlyApp(rows, row);
      for (const variant of all ? every(server, row.server.interface) : [{ http: 1 as const, knobs: {} }]) {
        const title = [name, app, `http-${variant.http}`, ...Object.entries(variant.knobs).flat()].join(" ");
        variants.set(title, { title, server: name, app, request: row.request.name, ...variant });
      }
    }
  }
  return [...variants.values()];
}

/** Every server that speaks TLS, with each interface that some row uses, in each HTTP version that it agrees on. */
export function tlsVariantsOf(planned: Planned): VariantRow[] {
  const variants = new Map<string, VariantRow>();
  for (const row of variantsOf(planned)) {
    const { tls } = planned.library.servers.get(row.server)?.value ?? {};
    const { interface: spoken } = planned.library.apps.get(row.app)?.value ?? {};
    for (const http of tls?.http ?? []) {
      const title = [row.server, spoken, `http-${http}`].join(" ");
      if (!variants.has(title)) variants.set(title, { ...row, title, http, knobs: {}, tls: true });
    }
  }
  return [...variants.values()];
}

function appOf({ id, server }: PlannedRow, { apps }: Planned["library"]): string {
  for (const [name, app] of apps) if (appFolder(app) === server.cwd && app.value.target === server.target) return name;
  throw new Error(`${id}: no app of servers.yml is in ${server.cwd}`);
}

function isOnlyApp(rows: readonly PlannedRow[], { server: { name, interface: of, cwd } }: PlannedRow): boolean {
  return rows.every(({ server }) => server.name !== name || server.interface !== of || server.cwd === cwd);
}

function every(server: ServerEntry, name: InterfaceName): Variant[] {
  const applies = ({ interfaces }: { readonly interfaces?: readonly InterfaceName[] | undefined }) =>
    interfaces === undefined || interfaces.includes(name);
  // The row's own HTTP version sets that knob.
  const knobs = Object.entries(server.knobs).filter(([knob]) => knob !== "http");
  const chosen = knobs.flatMap(([knob, entry]) => {
    const candidates: readonly KnobVariant[] = Array.isArray(entry) ? entry : [entry];
    const variant = candidates.find(applies);
    const choices = Object.entries(variant?.choices ?? {}).filter(([, choice]) => applies(choice));
    const values = choices.map(([value]) => value).filter((value) => value !== String(variant?.default));
    return values.map((value): Variant => ({ http: 1, knobs: { [knob]: value } }));
  });
  return [...server.http.map((http) => ({ http, knobs: {} })), ...chosen];
}
