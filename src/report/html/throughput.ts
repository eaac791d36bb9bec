/** The rate that charts show: messages of a broadcast, else requests. */
import type { CompletedCase } from "../../results/schema.js";
import type { Row } from "../tables/rows.js";

export function throughputOf({ summary }: CompletedCase): number {
  return summary.messages?.combinedPerSec ?? summary.requestsPerSec;
}

/** Which of them these rows have. */
export function throughputWords(rows: readonly Row[]): string {
  const messages = rows.some(({ cases }) => cases.some((one) => one.state === "completed" && one.summary.messages));
  return messages ? "messages sent and received per second" : "requests per second";
}
