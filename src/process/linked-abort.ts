/** An abort that follows a signal which lives longer. `AbortSignal.any` would leave an entry in that signal for each call. */
export class LinkedAbort implements Disposable {
  readonly #controller = new AbortController();
  readonly #from: AbortSignal;
  readonly #follow: () => void;

  constructor(from: AbortSignal) {
    this.#from = from;
    this.#follow = () => this.abort(from.reason);
    from.addEventListener("abort", this.#follow, { once: true });
    if (from.aborted) this.#follow();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(reason?: unknown): void {
    this.#controller.abort(reason);
  }

  /** From now on it no longer follows. */
  [Symbol.dispose](): void {
    this.#from.removeEventListener("abort", this.#follow);
  }
}
