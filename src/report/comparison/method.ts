/** How verdicts are reached, in words. */
import { USUAL_MARGINS } from "../../compare/metrics.js";
import { detectPercent, precisionFor } from "../../compare/precision.js";
import { LEVEL, STRICT_LEVEL } from "../../compare/verdict.js";
import type { Comparison } from "../../results/comparison.js";
import { confirmedLine, latencyMethod, metricTitle, percent } from "./view.js";

/** How the verdicts were reached, in plain text. */
export function methodSentences(comparison: Comparison): string[] {
  const { anchor } = comparison;
  const confirmed = confirmedLine(comparison);
  const drift = Object.entries(anchor?.day ?? {}).map(
    ([name, shift]) => `${metricTitle(name)} ${shift < 0 ? "-" : "+"}${percent(Math.abs(shift))}`,
  );
  return [
    ...(anchor
      ? [
          `Anchor: ${anchor.servers.join(", ")} (${anchor.rows.join(", ")}), identical in all runs. Since base it changed by ${drift.join(", ")}; this drift of the machine is divided out of base's figures.`,
        ]
      : []),
    ...methods(comparison),
    ...latencyMethod(comparison),
    ...(confirmed === undefined ? [] : [`${confirmed}.`, ...pairs(comparison)]),
  ];
}

function rule({ detect }: Comparison): string {
  const margin = `${detectPercent(precisionFor(detect))}%`;
  return `A row is better or worse when a change beyond ${percent(Math.expm1(USUAL_MARGINS.floor))} is significant, at a false discovery rate of ${percent(LEVEL)} over all rows and metrics. It is unchanged when two one-sided tests, at 5% each, show a change smaller than ${margin}. Otherwise it is inconclusive. ± is half of the 95% interval. The minimum detectable change is the change for the worse that would have been found four times in five.`;
}

/** `4, 7 and 13` */
function listed(numbers: readonly number[]): string {
  return [numbers.slice(0, -1).join(", "), numbers.at(-1)].join(" and ");
}

/** Of rows that were measured in pairs. */
function pairs({ detect }: Comparison): string[] {
  const { looks } = precisionFor(detect);
  return [
    "Base and head run side by side in pairs. For each pair both servers start afresh and warm up. Then both are loaded at the same time, in turns of some hundredths of a second, so that a slower moment of the machine slows both alike. A pair gives the ratio of the totals of its slices (the ratio of the best slices, where the load generator cannot take turns), and a row's change is the weighted mean of its pairs. Pairs whose slices scatter weigh less: scatter shows interference that no counter reports. A slice does not count when the hypervisor or other processes took more CPU time than in the pair's median slice (5 or 15 percentage points more).",
    `Rows are tested after ${listed(looks.map((look) => look.pairs))} pairs and stop once decided; the error budget is split over the tests. Each metric needs a p-value of at most ${percent(STRICT_LEVEL)} as well. Throughput that changes while CPU per request does not must be confirmed by later pairs.`,
  ];
}

const STORED =
  "Each row is compared with the prediction interval of its base runs. Runs of different days prove nothing: a change is a suspicion until base and head are measured side by side.";

function methods(comparison: Comparison): readonly string[] {
  switch (comparison.mode) {
    case "artifact":
      return [rule(comparison), STORED];
    case "paired":
      return [...pairs(comparison), rule(comparison)];
    case "mixed":
      return [...pairs(comparison), rule(comparison), `Rows without pairs are compared with stored results. ${STORED}`];
  }
}
