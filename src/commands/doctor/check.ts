/** One thing that a machine has or lacks for good measurements. */
export interface Check {
  /** Stable, for scripts: `cpu-isolation`. */
  readonly id: string;
  readonly title: string;
  /** `unknown`: the kernel does not tell, as in most virtual machines. */
  readonly state: "good" | "lacking" | "unknown";
  readonly found: string;
  readonly means: string;
  /** "" where nothing has to be done, or nothing can be. */
  readonly todo: string;
}
