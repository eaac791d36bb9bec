/** Results that several machines measured name the machine of one of them: how many other kinds there were. */

import { plural } from "../../messages/sentence.js";
import type { Results } from "../../results/schema.js";

/** Behind the machine's name; "" where all parts were measured on such a machine. */
export function otherMachines({ parts = [] }: Results["run"]): string {
  const others = new Set(parts.map(({ fingerprint }) => fingerprint)).size - 1;
  return others > 0 ? `; ${plural(others, "other kind")} of machine took part` : "";
}
