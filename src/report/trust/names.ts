/** Names of rows, sets and servers as identifiers: one that is anything else becomes a number. */

/** As `set/row-slug`; long enough for the built-in ones. */
const SLUG = /^[a-z0-9]+(?:[-_.][a-z0-9]+)*$/i;
const SLUG_LENGTH = 80;

export class Names {
  readonly #rows = new Map<string, string>();
  readonly #sets = new Map<string, string>();
  readonly #servers = new Map<string, string>();

  row(id: string): string {
    const given = this.#rows.get(id);
    if (given !== undefined) return given;
    const parts = id.length > 2 * SLUG_LENGTH ? [] : id.split("/");
    const name = parts.length === 2 && parts.every(isSlug) ? id : `row-${this.#rows.size + 1}`;
    this.#rows.set(id, name);
    return name;
  }

  set(name: string): string {
    return numbered(this.#sets, name, "set");
  }

  server(name: string): string {
    return numbered(this.#servers, name, "server");
  }
}

function numbered(known: Map<string, string>, name: string, kind: string): string {
  const given = known.get(name) ?? (isSlug(name) ? name : `${kind}-${known.size + 1}`);
  known.set(name, given);
  return given;
}

function isSlug(text: string): boolean {
  return text.length <= SLUG_LENGTH && SLUG.test(text);
}
