/** Real commits: verdicts on time beside counted instructions. */
import { markdownGrid } from "../../src/report/text/markdown.js";
import type { METRICS_OF_COMMITS, MeasuredCommit } from "../commits/measured-commit.js";
import { percent, signed } from "./words.js";

export function commitsSection(commits: readonly MeasuredCommit[]): string[] {
  return [
    "## Real commits",
    "Each commit was measured beside its parent, in one run. Instructions per request are counted by Valgrind in the same run and hardly have noise, so they are the reference. More instructions usually mean more CPU time, but not always in the same proportion.",
    markdownGrid(
      ["Commit", "Instructions", "CPU per request", "Throughput", "Pairs", "Seconds"],
      commits.map((one) => [
        `${one.commit} ${one.subject}`,
        ...(one.reason === undefined
          ? [figure(one, "instructions"), figure(one, "cpuPerRequest"), figure(one, "throughput")]
          : [one.reason, "", ""]),
        ...[String(one.pairs), one.seconds.toFixed(0)],
      ]),
    ),
  ];
}

function figure({ metrics }: MeasuredCommit, name: (typeof METRICS_OF_COMMITS)[number]): string {
  const metric = metrics[name];
  if (metric === undefined) return "none";
  const [low, high] = metric.interval;
  return `${metric.verdict}, ${signed(metric.change)} ±${percent((high - low) / 2)}`;
}
