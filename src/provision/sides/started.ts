/** Whether head's scenario files start a row otherwise than base's: its change is then not that of the code. */
import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { PlannedRow } from "../../plan/types.js";
import { startOf } from "./identical.js";
import type { BaseSide } from "./sides.js";

/** Of a command in a note. */
const WORDS_CHARS = 100;

/** `target main:app, main:tiny`: base's first. Undefined: both sides start alike. Of variables the names alone: values may be secrets. */
export function startedDifferently(
  base: PlannedRow,
  head: PlannedRow,
  { counterpart }: Pick<BaseSide, "counterpart">,
): string | undefined {
  const [before, after] = [base, head].map(startOf);
  const [was, is] = [base, head].map(({ server }) => server);
  if (!before || !after || !was || !is) return undefined;
  const moved = was.cwd !== is.cwd && was.cwd !== counterpart(is.cwd);
  const names = new Set([...Object.keys(before.env), ...Object.keys(after.env)]);
  const changed = [...names].filter((name) => before.env[name] !== after.env[name]);
  const parts = [
    ...(was.target === is.target ? [] : [`target ${was.target ?? "none"}, ${is.target ?? "none"}`]),
    ...(moved ? [`folder ${basename(was.cwd)}, ${basename(is.cwd)}`] : []),
    ...commandPart(withoutTarget(before.command, was.target), withoutTarget(after.command, is.target)),
    ...(changed.length > 0 ? [`variables ${changed.sort().join(", ")}`] : []),
    ...(isDeepStrictEqual(before.preparation, after.preparation) ? [] : ["services or commands before it"]),
  ];
  return parts.length === 0 ? undefined : parts.join("; ");
}

function withoutTarget(command: readonly string[], target: string | undefined): readonly string[] {
  const called = target?.replace(/\(\)$/, "");
  return command.map((arg) => (arg === target || arg === called ? "{target}" : arg));
}

/** What lies between the words that both begin and end with. */
function commandPart(base: readonly string[], head: readonly string[]): string[] {
  if (isDeepStrictEqual(base, head)) return [];
  let first = 0;
  while (first < Math.min(base.length, head.length) && base[first] === head[first]) first += 1;
  let last = 0;
  const most = Math.min(base.length, head.length) - first;
  while (last < most && base.at(-1 - last) === head.at(-1 - last)) last += 1;
  const words = (command: readonly string[]) =>
    command
      .slice(first, command.length - last)
      .join(" ")
      .slice(0, WORDS_CHARS) || "nothing";
  return [`command ${words(base)}, ${words(head)}`];
}
