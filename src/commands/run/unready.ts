/** Rows of which a side is not installed: which one, and why. */
import type { Side } from "../../plan/types.js";
import { unreadyReason } from "../../provision/failure-text.js";
import type { EnvironmentState } from "../../provision/types.js";

export interface Unready {
  readonly kind: "failed-in-base" | "failed-in-head" | "unmeasured";
  readonly reason: string;
}

/** For messages. */
export const UNREADY_SIDES: Readonly<Record<Unready["kind"], string>> = {
  "failed-in-base": "base",
  "failed-in-head": "head",
  unmeasured: "base and head",
};

export function whyUnready(base: EnvironmentState, head: EnvironmentState): Unready {
  const reason = (state: EnvironmentState, side: Side) => (state.state === "ready" ? "" : unreadyReason(state, side));
  if (head.state === "ready") return { kind: "failed-in-base", reason: reason(base, "base") };
  if (base.state === "ready") return { kind: "failed-in-head", reason: reason(head, "head") };
  return { kind: "unmeasured", reason: reason(head, "head") };
}
