/** What belongs to one run: its id, its own temporary folder, and the signal that ends it. */
export interface RunContext {
  readonly id: string;
  readonly tempDir: string;
  /** Aborted on SIGINT or SIGTERM. */
  readonly signal: AbortSignal;
  /** What each server may use, with all its processes; absent: the usual share of the machine. */
  readonly memoryLimitMiB?: number | undefined;
  /** For the results: what a reader of the figures has to know. */
  readonly warn?: (text: string) => void;
}
