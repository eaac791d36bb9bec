/** Which requests fail or are held up, and how. */

/** Method (default any) and path without query, tested by `path`. */
export interface Match {
  readonly method?: string;
  readonly path: RegExp;
  /** How many matching requests (default 1; Infinity for all). */
  readonly times?: number;
}

export interface Fault extends Match {
  /** Answer this instead of doing the work. */
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: `{ message }` in GitHub's form. */
  readonly body?: unknown;
  /** Never answer. */
  readonly timeout?: boolean;
  /** Cut the connection. */
  readonly reset?: boolean;
  /** Do the work all the same, then answer `status` (default 502), or never with `timeout`, or cut it with `reset`. */
  readonly dropAfterApplying?: boolean;
}

interface Request {
  readonly method: string;
  readonly path: string;
}

/** Things that are used up by matching requests, in the order in which they were added. */
export class Queue<Item extends Match> {
  readonly #entries: { readonly item: Item; left: number }[] = [];

  add(item: Item): void {
    this.#entries.push({ item, left: item.times ?? 1 });
  }

  clear(): void {
    this.#entries.length = 0;
  }

  /** The first match, used once. */
  take(request: Request): Item | undefined {
    return this.#use(request, 1)[0];
  }

  /** Every match, each used once. */
  takeAll(request: Request): readonly Item[] {
    return this.#use(request, Number.POSITIVE_INFINITY);
  }

  #use(request: Request, limit: number): readonly Item[] {
    const matching = this.#entries.filter(({ item, left }) => left > 0 && matches(item, request)).slice(0, limit);
    for (const entry of matching) entry.left -= 1;
    return matching.map(({ item }) => item);
  }
}

function matches({ method, path }: Match, request: Request): boolean {
  return (method === undefined || method === request.method) && path.test(request.path);
}
