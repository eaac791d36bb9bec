/** Every way in which servers.yml lets a server be started for HTTP: the rows of a set of its own. */
import { appFolder } from "../../src/plan/app.js";
import type { Planned } from "../../src/plan/plan.js";
import type { KnobVariant, ServerEntry } from "../../src/plan/schema.js";
import type { InterfaceName, PlannedRequest, PlannedRow } from "../../src/plan/types.js";

export interface VariantRow {
  readonly title: string;
  readonly server: string;
  readonly app: string;
  readonly request: string;
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
      const all = app === row.server.interface || onlyApp(rows, row);
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

function appOf(row: PlannedRow, library: Planned["library"]): string {
  const app = [...library.apps].find(
    ([, entry]) => appFolder(entry) === row.server.cwd && entry.value.target === row.server.target,
  );
  if (app === undefined) throw new Error(`${row.id}: no app of servers.yml is in ${row.server.cwd}`);
  return app[0];
}

function onlyApp(rows: readonly PlannedRow[], { server }: PlannedRow): boolean {
  return rows.every(
    (row) =>
      row.server.name !== server.name || row.server.interface !== server.interface || row.server.cwd === server.cwd,
  );
}

function every(server: ServerEntry, interfaceName: InterfaceName): Pick<VariantRow, "http" | "knobs">[] {
  const variants: Pick<VariantRow, "http" | "knobs">[] = server.http.map((http) => ({ http, knobs: {} }));
  for (const [knob, entry] of Object.entries(server.knobs)) {
    // The row's own HTTP version sets this one.
    if (knob === "http") continue;
    const candidates: readonly KnobVariant[] = Array.isArray(entry) ? entry : [entry];
    const variant = candidates.find(({ interfaces }) => applies(interfaces, interfaceName));
    for (const [value, choice] of Object.entries(variant?.choices ?? {})) {
      if (applies(choice.interfaces, interfaceName) && value !== String(variant?.default))
        variants.push({ http: 1, knobs: { [knob]: value } });
    }
  }
  return variants;
}

function applies(interfaces: readonly InterfaceName[] | undefined, name: InterfaceName): boolean {
  return interfaces === undefined || interfaces.includes(name);
}
