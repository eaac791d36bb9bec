/** An installation that failed, with what is known of it. */
import { SetupError } from "../../errors.js";
import { describeFailure } from "../failure-text.js";
import type { InstallFailure } from "../types.js";

export class InstallError extends SetupError {
  readonly failure: InstallFailure;
  constructor(failure: InstallFailure, excerpt: string) {
    super(describeFailure(failure), excerpt);
    this.failure = failure;
  }
}
