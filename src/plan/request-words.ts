/** Sentences for the report: how requests were sent, and what was checked of their answers. Usual rows need none. */
import { requestsOf } from "./requests-of.js";
import type { PlannedRequest, PlannedRow, Profile } from "./types.js";

export function trafficSentences(rows: readonly PlannedRow[], profile: Pick<Profile, "name">): string[] {
  const rates = rows.flatMap(({ ratePerSec }) => ratePerSec ?? []);
  return [
    ...mixes(rows),
    ...(rates.length === 0
      ? []
      : [
          `${these(rows, ({ ratePerSec }) => ratePerSec !== undefined)} a fixed rate (${[...new Set(rates)].join(", ")} requests per second), whatever the answers do. A latency begins when its request is due.`,
        ]),
    ...rateShares(rows),
    ...(rows.some(({ startup }) => startup)
      ? [
          `A start lasts from the start of the server's process to its first right answer. ${profile.name === "quick" ? "One start is shown" : "The median of several starts is shown"}; with a base, the median of one start in each pair.`,
        ]
      : []),
    ...(rows.some(({ socket }) => socket)
      ? [`${these(rows, ({ socket }) => socket === true)} a unix socket instead of TCP.`]
      : []),
    ...[...new Set(rows.flatMap(({ idleConnections }) => idleConnections ?? []))].map(
      (count) =>
        `${these(rows, ({ idleConnections }) => idleConnections === count)} ${count} idle connections in addition to the load, which send nothing.`,
    ),
    ...(rows.some(({ closes }) => closes)
      ? [`${these(rows, ({ closes }) => closes === true)} a new connection for each request: keep-alive is off.`]
      : []),
    ...(rows.some(({ tls }) => tls)
      ? [`${these(rows, ({ tls }) => tls === true)} TLS, with a certificate that is made for the run.`]
      : []),
  ];
}

function rateShares(rows: readonly PlannedRow[]): string[] {
  const shares = [...new Set(rows.flatMap(({ rateShare }) => rateShare ?? []))].sort((a, b) => a - b);
  if (shares.length === 0) return [];
  const percent = shares.map((share) => `${Math.round(share * 100)} %`).join(", ");
  return [
    `${these(rows, ({ rateShare }) => rateShare !== undefined)} a fixed rate: ${percent} of the row's own maximum, which a closed loop measures first. Where the load generator can send less than this maximum by a clock, the rate is that share of what it can send. Beside a base, both sides have one rate, made from base's maximum. A latency begins when its request is due.`,
  ];
}

function these(rows: readonly PlannedRow[], has: (row: PlannedRow) => boolean): string {
  if (rows.every(has)) return "All rows use";
  const chosen = rows.filter(has);
  const groups = [...new Set(chosen.map(({ group }) => group))];
  const areWhole = groups.every((name) => name !== undefined && rows.every((row) => row.group !== name || has(row)));
  if (areWhole && chosen.length > 1) return `The rows of "${groups.join('", "')}" use`;
  const titles = chosen.map(({ title, group }) => (group === undefined ? title : `${group}: ${title}`));
  return titles.length === 1 ? `The row "${titles[0]}" uses` : `The rows "${titles.join('", "')}" use`;
}

function mixes(rows: readonly PlannedRow[]): string[] {
  const shares = rows.flatMap(({ mix }) => {
    if (mix === undefined) return [];
    const all = mix.reduce((sum, { weight }) => sum + weight, 0);
    return [mix.map(({ request, weight }) => `${request.name} (${weight} of ${all})`).join(", ")];
  });
  return [...new Set(shares)].map((share) => `Rows of several requests draw one at random for each: ${share}.`);
}

const LEARNED =
  "Nothing is given about the answers to %: what each side answers first is expected of that side (status, type, size).";
const ON_PROBES =
  "The bodies of % are checked on single answers before and after the load. Under load their status is checked, and their size where it is known.";
const UNCHECKED = "Bodies not checked: %.";

export function answerSentences(rows: readonly PlannedRow[]): string[] {
  const requests = [...new Map(rows.flatMap(requestsOf).map(({ request }) => [request.name, request])).values()];
  const sentence = (words: string, is: (request: PlannedRequest) => boolean): string[] => {
    const names = requests.filter(is).map(({ name }) => name);
    return names.length === 0 ? [] : [words.replace("%", names.join(", "))];
  };
  return [
    ...sentence(LEARNED, ({ expect }) => expect.body.kind === "learned"),
    ...sentence(ON_PROBES, ({ expect }) => expect.body.kind === "json" || expect.body.kind === "regex"),
    ...sentence(UNCHECKED, ({ expect }) => expect.body.kind === "any"),
  ];
}
