import { closest, distance } from "fastest-levenshtein";

/** `; did you mean "x"?` for a name close to a known one, else "". */
export function didYouMean(name: string, known: readonly string[]): string {
  if (known.length === 0) return "";
  const best = closest(name.toLowerCase(), [...known]);
  // With half of its letters wrong it is another word.
  return distance(name.toLowerCase(), best) <= Math.max(2, Math.floor(best.length / 2))
    ? `; did you mean "${best}"?`
    : "";
}

/** `unknown row "x"; did you mean "y"? Rows: a, b, c` */
export function unknownName(kind: string, name: string, known: readonly string[]): string {
  const hint = didYouMean(name, known);
  const plural = kind.charAt(0).toUpperCase() + kind.slice(1);
  return `unknown ${kind} "${name}"${hint || ";"} ${plural}s: ${known.join(", ") || "none"}`;
}
