/** A failed installation in one line. */
import type { EnvironmentState, InstallFailure } from "./types.js";

type Side = "head" | "base";

/** Why an environment is not there; of a checkout that does not build, the side is named. */
export function unreadyReason(state: Exclude<EnvironmentState, { readonly state: "ready" }>, side: Side): string {
  return state.state === "failed" && state.failure !== undefined ? describeFailure(state.failure, side) : state.reason;
}

/** `head does not build: src/main.rs:3:21: error[E0308]: mismatched types; the whole log: PATH` */
export function describeFailure(failure: InstallFailure, side?: Side): string {
  const { kind, subject, fromCheckout, headline, location, remedy, logFile } = failure;
  const who = fromCheckout && side !== undefined ? side : subject;
  const builds = kind === "build" || (kind === "system-package" && location !== undefined);
  const where = location === undefined ? "" : `${location}: `;
  const parts = [
    `${who} ${builds ? "does not build" : "cannot be installed"}: ${where}${headline}`,
    ...(remedy === "" ? [] : [remedy]),
    ...(logFile === undefined ? [] : [`the whole log: ${logFile}`]),
  ];
  return parts.join("; ");
}
