/** What a comment is rendered from. */
import type { Results } from "../../results/schema.js";

/** What the results do not know themselves; only `results` may come from a pull request. */
export interface CommentFacts {
  readonly results: Results;
  readonly where: {
    /** `owner/name` */
    readonly repository: string;
    readonly serverUrl: string;
    /** Of the run that measured. */
    readonly runUrl: string;
    readonly artifactUrl?: string;
    /** The pull request's own commit; a checkout is often its merge with base. */
    readonly headSha?: string;
  };
  /** What could not be had to compare with, and why; it may stand among the run's warnings too. */
  readonly notes?: readonly string[];
}
