/** Verdicts that were printed while other rows were still measured: these can change them, because rows share one error rate. */
import { pairKey } from "../compare/sides.js";
import type { ComparedRow, Comparison, Verdict } from "../results/comparison.js";

interface RevisedVerdict {
  readonly row: ComparedRow;
  readonly printed: Verdict;
}

export class PrintedVerdicts {
  readonly #printed = new Map<string, Verdict>();

  add(row: ComparedRow): void {
    this.#printed.set(pairKey(row), row.verdict);
  }

  /** Rows of the report whose verdict is another one than was printed. */
  revised(comparison: Comparison | undefined): readonly RevisedVerdict[] {
    return (comparison?.rows ?? []).flatMap((row) => {
      const printed = this.#printed.get(pairKey(row));
      return printed === undefined || printed === row.verdict ? [] : [{ row, printed }];
    });
  }
}
