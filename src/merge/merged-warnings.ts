/** The warnings of the parts, and those about parts that differ in machine, profile or commit. */
import { groupBy } from "../group-by.js";
import { nameSome } from "../messages/sentence.js";
import type { Part } from "./parts.js";

export function mergedWarnings(parts: readonly Part[]): string[] {
  const own = parts.flatMap(({ results }) => results.run.warnings);
  return [...new Set([...own, ...differences(parts)])];
}

/** Each part is compared with the first one. */
function differences(parts: readonly Part[]): string[] {
  const [first, ...others] = parts;
  if (!first) return [];
  const { environment, run } = first.results;
  const commit = ({ results }: Part) => results.run.git?.sha ?? "(none)";
  return [
    ...grouped(others, ({ results: { environment: other } }) =>
      other.fingerprint === environment.fingerprint
        ? undefined
        : `${other.cpuModel} @ ${other.os}, CPUs: ${other.cpus}`,
    ).map(
      ({ sources, value }) =>
        `${sources} was measured on another machine (${value}) than ${first.source}: its benchmarks are not comparable with the others.`,
    ),
    ...grouped(others, ({ results }) => (results.run.profile === run.profile ? undefined : results.run.profile)).map(
      ({ sources, value }) => `${sources} was measured with the profile ${value}, ${first.source} with ${run.profile}.`,
    ),
    ...grouped(others, (part) => (commit(part) === commit(first) ? undefined : commit(part))).map(
      ({ sources, value }) => `${sources} measured the commit ${value}, ${first.source} ${commit(first)}.`,
    ),
  ];
}

/** A hundred shards on machines of another kind are one warning, which names this many of them. */
const SOURCES_NAMED = 3;

/** The sources of the parts by the value in which they differ; undefined: the part does not differ. */
function grouped(parts: readonly Part[], differenceOf: (part: Part) => string | undefined) {
  return [...groupBy(parts, differenceOf)].flatMap(([value, group]) =>
    value === undefined ? [] : [{ value, sources: sourcesText(group.map(({ source }) => source)) }],
  );
}

/** Goes on with "was" or "measured". */
function sourcesText(sources: readonly string[]): string {
  const named = nameSome(sources, SOURCES_NAMED);
  return sources.length > SOURCES_NAMED ? `${named}: each` : named;
}
