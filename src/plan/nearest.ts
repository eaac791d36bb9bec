import { closest, distance } from "fastest-levenshtein";

/** Fewer letters are in many names. */
const PART_MIN = 3;

/** `; did you mean "x"?` for a name close to a known one, else "". */
export function didYouMean(name: string, known: readonly string[]): string {
  const typed = name.toLowerCase();
  const meant = withPart(typed, known) ?? withMistakes(typed, known);
  return meant === undefined ? "" : `; did you mean "${meant}"?`;
}

/** The shortest name that begins with it, or has it elsewhere: a long name is often typed in part. */
function withPart(typed: string, known: readonly string[]): string | undefined {
  if (typed.length < PART_MIN) return undefined;
  const byLength = [...known].sort((a, b) => a.length - b.length);
  return (
    byLength.find((one) => one.toLowerCase().startsWith(typed)) ??
    byLength.find((one) => one.toLowerCase().includes(typed))
  );
}

function withMistakes(typed: string, known: readonly string[]): string | undefined {
  if (known.length === 0) return undefined;
  const best = closest(typed, [...known]);
  // With half of its letters wrong it is another word.
  return distance(typed, best) <= Math.max(2, Math.floor(best.length / 2)) ? best : undefined;
}

/** `unknown row "x"; did you mean "y"? Rows: a, b, c` */
export function unknownName(kind: string, name: string, known: readonly string[]): string {
  const hint = didYouMean(name, known);
  const plural = kind.charAt(0).toUpperCase() + kind.slice(1);
  return `unknown ${kind} "${name}"${hint || ";"} ${plural}s: ${known.join(", ") || "none"}`;
}
