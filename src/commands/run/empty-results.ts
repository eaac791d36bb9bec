/** The results of a run before its first row: the run, the machine and the sets. */
import { steadyDate } from "../../clock.js";
import type { CpuSplit } from "../../measure/machine/cpus.js";
import { readHost } from "../../measure/machine/facts.js";
import type { Planned } from "../../plan/plan.js";
import { readyTools } from "../../provision/generators/generators.js";
import type { Provisioned } from "../../provision/types.js";
import { type NothingToCompare, type Results, SCHEMA_NAME, SCHEMA_VERSION } from "../../results/schema.js";
import type { ShardIndex } from "../../results/shard.js";
import type { ProcessContext } from "../process-context.js";
import { toolVersion } from "../version.js";
import { readGit } from "./git.js";

/** A set's own sentences describe rows that are measured alone. */
const IN_PAIRS =
  "Rows with a base are measured in pairs instead, as the comparison describes, at the first concurrency that both sides have.";

interface Beginning {
  readonly id: string;
  readonly plan: Planned;
  readonly provisioned: Provisioned;
  readonly cpus: CpuSplit;
  readonly context: ProcessContext;
  readonly command: readonly string[];
  readonly tag: string | undefined;
  readonly shard: ShardIndex | undefined;
  readonly notes: readonly string[];
  readonly nothingToCompare: NothingToCompare | undefined;
  /** Rows are measured in pairs with base. */
  readonly againstBase: boolean;
}

export async function emptyResults(beginning: Beginning): Promise<Results> {
  const { plan, provisioned, cpus, context, command, shard } = beginning;
  const git = await readGit(context.cwd, beginning.tag);
  const ready = [...provisioned.environments.values()].find((state) => state.state === "ready");
  return {
    schema: SCHEMA_NAME,
    version: SCHEMA_VERSION,
    run: {
      id: beginning.id,
      startedAt: steadyDate().toISOString(),
      finishedAt: null,
      tool: { version: await toolVersion(context.root) },
      ...(git === undefined ? {} : { git }),
      profile: plan.profile.name,
      command: [...command],
      ...(beginning.nothingToCompare && { nothingToCompare: beginning.nothingToCompare }),
      warnings: [...cpus.warnings, ...beginning.notes],
      measuredSec: 0,
      loadShare: 0,
      ...(shard && { shard }),
    },
    environment: await readHost(ready?.pythonVersion ?? "none", readyTools(provisioned.generators), cpus),
    sets: plan.sets.map(({ rows: _rows, rowOrder = [], ...info }) => ({
      ...info,
      ...(shard && { rowOrder: [...rowOrder] }),
      methodology: [...info.methodology, ...(beginning.againstBase ? [IN_PAIRS] : [])],
      columns: [...info.columns],
      knobColumns: { ...info.knobColumns },
      leadColumns: { ...info.leadColumns },
      charts: [...(info.charts ?? [])],
    })),
    cases: [],
  };
}
