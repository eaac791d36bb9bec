/** Anchors of rows, and what the page's filters know of them. Names from a results file never become ids. */
import type { ComparedRow } from "../../results/comparison.js";
import type { Results, ServerInfo } from "../../results/schema.js";
import { html, type Markup } from "./markup.js";

export interface RowFacts {
  readonly id: string;
  readonly server: string;
  readonly interface: string;
}

/** By row id: where its row is described. */
export interface RowKeys {
  readonly keyOf: (id: string) => string;
  /** Anchor of the card of a changed row. */
  readonly cardOf: (row: Pick<ComparedRow, "id" | "connections">) => string;
  /** One that nothing else has. */
  readonly newId: (kind: string) => string;
  readonly factsOf: (id: string) => RowFacts;
  /** The title of the row's set; the part of its id before the slash for a set that head does not have. */
  readonly setOf: (id: string) => string;
}

export function rowKeys({ cases, sets }: Results): RowKeys {
  const [rows, cards] = [new Map<string, string>(), new Map<string, string>()];
  let ids = 0;
  const servers = new Map<string, ServerInfo>();
  const setNames = new Map<string, string>();
  for (const { id, server, side, set } of cases) {
    if (side === "head" || !servers.has(id)) servers.set(id, server);
    setNames.set(id, set);
  }
  const titles = new Map(sets.map(({ name, title }) => [name, title]));
  return {
    keyOf: (id) => numbered(rows, id, "row"),
    cardOf: ({ id, connections }) => numbered(cards, JSON.stringify([id, connections]), "change"),
    newId: (kind) => {
      ids += 1;
      return `${kind}-${ids}`;
    },
    factsOf: (id) => {
      const server = servers.get(id);
      return { id, server: server?.title ?? "", interface: server?.interface ?? "" };
    },
    setOf: (id) => {
      const name = setNames.get(id) ?? id.split("/")[0] ?? "";
      return titles.get(name) ?? name;
    },
  };
}

function numbered(known: Map<string, string>, name: string, kind: string): string {
  const key = known.get(name) ?? `${kind}-${known.size + 1}`;
  known.set(name, key);
  return key;
}

/** What the filters look at. @param verdict "" for a row that was not compared */
export function filterAttributes({ id, server, interface: name }: RowFacts, verdict: string): Markup {
  return html` data-row data-id="${id}" data-server="${server}" data-interface="${name}" data-verdict="${verdict}"`;
}
