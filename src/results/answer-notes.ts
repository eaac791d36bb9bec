/** Sentences about the answers to a row's requests: what was not checked, and where base and head answer differently. */
import type { ExpectedAnswer } from "./answers.js";

const MANY = 5;

/** What a reader would not expect of a measured row. */
export function answerNotes(answers: readonly ExpectedAnswer[]): string[] {
  return answers.flatMap(({ request, checked, learned, size }): string[] => {
    if (checked === "none")
      return [`${request}: bodies not checked${learned ? ", because their size varies too much under load" : ""}.`];
    if (!Array.isArray(size) || !learned) return [];
    return [`${request}: the body varies; ${sizeWords(size)} count as right.`];
  });
}

/** Where the two sides of a row answer differently, which is no failure. */
export function answerDifferences(base: readonly ExpectedAnswer[], head: readonly ExpectedAnswer[]): string[] {
  const before = new Map(base.map((answer) => [answer.request, answer]));
  const notes = head.flatMap((answer): string[] => {
    const other = before.get(answer.request);
    const differing = other ? differences(other, answer) : [];
    return differing.length === 0
      ? []
      : [`${answer.request}: base and head answer differently: ${differing.join("; ")}`];
  });
  return notes.length > MANY ? [...notes.slice(0, MANY), `and ${notes.length - MANY} more requests`] : notes;
}

function differences(base: ExpectedAnswer, head: ExpectedAnswer): string[] {
  const parts = [
    differing("status", base.status, head.status),
    differing("type", base.type ?? "none", head.type ?? "none"),
    sizePart(base, head),
  ].filter((part) => part !== undefined);
  const otherBytes = base.digest !== undefined && head.digest !== undefined && base.digest !== head.digest;
  return parts.length === 0 && otherBytes ? ["bodies of the same size with other content"] : parts;
}

function differing(what: string, base: string | number, head: string | number): string | undefined {
  return base === head ? undefined : `${what} ${base} in base, ${head} in head`;
}

function sizePart(base: ExpectedAnswer, head: ExpectedAnswer): string | undefined {
  const [one, other] = [base, head].map(({ size }) => sizeWords(size));
  if (sizesDiffer(base.size, head.size)) return `${one} in base, ${other} in head`;
  // A head that changes what its scenario file expects may answer with less.
  const isOther = (isGiven(base) || isGiven(head)) && one !== other;
  return isOther ? `bodies of ${one} are right in base, of ${other} in head` : undefined;
}

/** Whether the scenario file gives which sizes are right, and not the first answers. */
function isGiven({ checked, learned }: ExpectedAnswer): boolean {
  return !learned && checked !== "json" && checked !== "regex";
}

/** Ranges of bodies that vary always differ a little: only ranges that have nothing in common count. */
function sizesDiffer(base: ExpectedAnswer["size"], head: ExpectedAnswer["size"]): boolean {
  if (base === undefined || head === undefined) return false;
  const [one, other] = [base, head].map((size) => (Array.isArray(size) ? size : [size, size]));
  const [least = 0, most = 0] = one ?? [];
  const [otherLeast = 0, otherMost = 0] = other ?? [];
  return most < otherLeast || otherMost < least;
}

function sizeWords(size: ExpectedAnswer["size"]): string {
  if (size === undefined) return "any size";
  const words = (bytes: number) => bytes.toLocaleString("en-US");
  return Array.isArray(size) ? `${words(size[0])} to ${words(size[1])} bytes` : `${words(size)} bytes`;
}
