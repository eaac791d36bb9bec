/** What belongs to one run: its id, its own temporary folder, and the signal that ends it. */
export interface RunContext {
  readonly id: string;
  readonly tempDir: string;
  /** Aborted on SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** For the results: what a reader of the figures has to know. */
  readonly warn?: (text: string) => void;
}
