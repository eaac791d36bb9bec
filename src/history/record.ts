/**
 * A results file, reduced to what a history shows: some 500 files of a thousand rows have to fit the memory together. Texts and
 * settings that repeat are shared.
 */
import { environmentFacts, loadOf } from "../compare/comparable.js";
import { METRICS, type Metric } from "../compare/metrics.js";
import type { VersionTag } from "../release/tags.js";
import type { CaseResult, Environment, ProfileName, Results, Summary } from "../results/schema.js";
import { versionOf } from "./versions.js";

export interface RunFacts {
  readonly source: string;
  readonly id: string;
  readonly startedAt: string;
  readonly finished: boolean;
  readonly tool: string;
  readonly profile: ProfileName;
  readonly sha?: string;
  readonly ref?: string;
  readonly uncommitted?: true;
  /** Of a run whose reference is the tag of a release. */
  readonly version?: VersionTag;
  readonly environment: Environment;
}

export interface RunRecord extends RunFacts {
  /** Different fingerprints among the parts of a merged file. */
  readonly parts: number;
  /** `2/4` */
  readonly shard?: string;
  readonly sets: readonly SetTitle[];
  readonly cases: readonly CaseRecord[];
  /** Only instructions or memory were measured. */
  readonly untimed: boolean;
}

export interface SetTitle {
  readonly name: string;
  readonly title: string;
}

/** One row at one concurrency, in one run. Only head's side is kept. */
export interface CaseRecord {
  readonly id: string;
  readonly title: string;
  readonly set: string;
  readonly connections: number;
  readonly server: ServerName;
  readonly config: CaseConfig;
  readonly outcome: Outcome;
}

export interface ServerName {
  readonly title: string;
  readonly version?: string;
}

/** With another configuration it is another measurement, even on the same machine. */
export interface CaseConfig {
  readonly server: string;
  readonly interface: string;
  readonly python?: string;
  readonly knobs: CaseResult["knobs"];
  /** Arguments of the load generator, without ports and paths. */
  readonly load?: readonly string[];
}

export interface Measured {
  readonly state: "measured";
  readonly throughput: number | undefined;
  readonly cpuPerRequest: number | undefined;
  readonly failures: number;
  readonly clientBound: boolean;
  readonly disturbed: boolean;
}

type Outcome = Measured | { readonly state: "failed" | "skipped"; readonly reason: string };

export type MetricName = Metric["name"];

export { METRICS, type Metric };

/** Values by name. */
export type Facts = Readonly<Record<string, string>>;

/** All that must be equal for the figures of two runs to be joined, besides the rows' own settings. */
export function measuringFacts({ environment, profile, tool }: RunFacts): Facts {
  const generators = Object.entries(environment.loadGenerators).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...Object.fromEntries(Object.entries(environmentFacts(environment)).map(([name, value]) => [name, shown(value)])),
    ...Object.fromEntries(generators),
    profile,
    "server-bench": tool,
    fingerprint: environment.fingerprint,
  };
}

function shown(value: unknown): string {
  return value === undefined ? "unknown" : String(value);
}

/** Reduces files one after the other: what they have in common is kept once. */
export class Recorder {
  readonly #shared = new Map<string, unknown>();

  record(source: string, { run, environment, sets, cases, comparison, furtherMetrics = [] }: Results): RunRecord {
    const version = versionOf(run.git?.ref);
    return {
      source,
      id: run.id,
      startedAt: run.startedAt,
      finished: run.finishedAt !== null,
      tool: run.tool.version,
      profile: run.profile,
      ...(run.git && { sha: run.git.sha }),
      ...(run.git?.ref !== undefined && { ref: run.git.ref }),
      ...(run.git?.uncommitted && { uncommitted: true as const }),
      ...(version && { version }),
      environment: this.#share(environment),
      ...(run.shard && { shard: `${run.shard.index}/${run.shard.of}` }),
      untimed: cases.length === 0 && furtherMetrics.length + (comparison?.rows.length ?? 0) > 0,
      parts: new Set((run.parts ?? []).map((part) => part.fingerprint)).size,
      sets: sets.map(({ name, title }) => this.#share({ name, title })),
      cases: cases.filter(({ side }) => side === "head").map((result) => this.#caseOf(result)),
    };
  }

  #caseOf(result: CaseResult): CaseRecord {
    const { server } = result;
    const load = loadOf(result);
    const config: CaseConfig = {
      server: server.name,
      interface: server.interface,
      ...(server.python !== undefined && { python: server.python }),
      knobs: Object.fromEntries(Object.entries(result.knobs).sort(([a], [b]) => (a < b ? -1 : 1))),
      ...(load && { load }),
    };
    return {
      id: this.#share(result.id),
      title: this.#share(result.title),
      set: this.#share(result.set),
      connections: result.connections,
      server: this.#share({ title: server.title, ...(server.version !== undefined && { version: server.version }) }),
      config: this.#share(config),
      outcome: this.#outcomeOf(result),
    };
  }

  #outcomeOf(result: CaseResult): Outcome {
    if (result.state !== "completed") return { state: result.state, reason: this.#share(result.reason) };
    const { summary, disturbed = false } = result;
    return {
      state: "measured",
      throughput: figureOf("throughput", summary),
      cpuPerRequest: figureOf("cpuPerRequest", summary),
      failures: summary.failures.total,
      clientBound: summary.clientBound,
      disturbed,
    };
  }

  #share<T>(value: T): T {
    const key = JSON.stringify(value);
    const known = this.#shared.get(key);
    if (known !== undefined) return known as T;
    this.#shared.set(key, value);
    return value;
  }
}

function figureOf(name: MetricName, summary: Summary): number | undefined {
  return METRICS.find((metric) => metric.name === name)?.of(summary);
}
