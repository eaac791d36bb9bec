/** Names of rows, sets and servers of a stranger's results: those that the default branch has are shown, others are numbered. */

/** Of the scenarios that this repository's default branch has, the built-in ones included. */
export interface KnownNames {
  /** As `set/row-slug`. */
  readonly rows: ReadonlySet<string>;
  readonly servers: ReadonlySet<string>;
  /** Why some names of the default branch are not known; absent: all are. */
  readonly unread?: string;
}

export const NO_NAMES: KnownNames = { rows: new Set(), servers: new Set(), unread: "none were looked up" };

interface Shown {
  readonly id: string;
  readonly title: string;
}

export class Names {
  readonly #known: KnownNames;
  readonly #knownSets: ReadonlySet<string>;
  readonly #rows = new Map<string, Shown>();
  readonly #sets = new Map<string, Shown>();
  readonly #servers = new Map<string, Shown>();
  /** By what stands before the number. */
  readonly #last = new Map<string, number>();

  constructor(known: KnownNames) {
    this.#known = known;
    this.#knownSets = new Set([...known.rows].map(setOf));
  }

  /** How many names were replaced by numbers. */
  get numbered(): number {
    return this.#rows.size + this.#sets.size + this.#servers.size;
  }

  row(id: string): Shown {
    const of = () => `${this.set(setOf(id)).id}/row`;
    return this.#shown(id, { known: this.#known.rows, numbered: this.#rows, of, title: "benchmark" });
  }

  set(name: string): Shown {
    return this.#shown(name, { known: this.#knownSets, numbered: this.#sets, of: () => "set", title: "set" });
  }

  server(name: string): Shown {
    const { servers } = this.#known;
    return this.#shown(name, { known: servers, numbered: this.#servers, of: () => "server", title: "server" });
  }

  #shown(
    name: string,
    kind: {
      readonly known: ReadonlySet<string>;
      readonly numbered: Map<string, Shown>;
      readonly of: () => string;
      readonly title: string;
    },
  ): Shown {
    if (kind.known.has(name)) return { id: name, title: name };
    const earlier = kind.numbered.get(name);
    if (earlier) return earlier;
    const of = kind.of();
    let number = (this.#last.get(of) ?? 0) + 1;
    while (kind.known.has(`${of}-${number}`)) number += 1;
    this.#last.set(of, number);
    const why = this.#known.unread === undefined ? "new in this pull request" : "name not checked";
    const shown = { id: `${of}-${number}`, title: `${kind.title} ${number} (${why})` };
    kind.numbered.set(name, shown);
    return shown;
  }
}

/** `vs-asgi` of `vs-asgi/granian-rsgi` */
function setOf(id: string): string {
  return id.split("/", 1)[0] ?? "";
}
