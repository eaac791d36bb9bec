/** What a comment is rendered from. */
import type { Results } from "../../results/schema.js";
import type { Origin } from "../repeat/origin.js";
import type { Trust } from "../trust/trust.js";

/** What the results do not know themselves; only `results` may come from a pull request. */
export interface CommentFacts {
  readonly results: Results;
  readonly trust: Trust;
  /** The text is read where the files beside the results are not. */
  readonly withoutFiles?: true;
  /** For the commands that repeat the run; undefined where the job does not know it. */
  readonly origin?: Origin;
  readonly where: {
    /** `owner/name` */
    readonly repository: string;
    readonly serverUrl: string;
    /** Of the run that measured. */
    readonly runUrl: string;
    readonly artifactUrl?: string;
    /** A page that a browser opens; GitHub deletes it after some time, as all artifacts. */
    readonly pageUrl?: string;
    /** The pull request's own commit; a checkout is often its merge with base. */
    readonly headSha?: string;
  };
  /** What a reader has to know before the verdict; plain text. */
  readonly lead?: string;
  /** Stored results of base, for the trend of rows that changed. */
  readonly recent?: readonly Results[];
  /** Why something could not be compared; the run's warnings may have it too. */
  readonly notes?: readonly string[];
}
