/** `list`: what can be run, and how long it takes. */

import { availableParallelism } from "node:os";
import { resolve } from "node:path";
import { plural } from "../messages/sentence.js";
import { type Planned, planRun } from "../plan/plan.js";
import type { PlannedSet } from "../plan/types.js";
import { type ParsedCommand, textOf } from "./options.js";
import type { ProcessContext } from "./process-context.js";
import { rowsAloneSec } from "./run/expected-time.js";

/** Without selectors all sets and servers; with them the rows they name, and the servers of these. */
export async function list(parsed: ParsedCommand, context: ProcessContext): Promise<number> {
  const scenarios = textOf(parsed, "scenarios");
  const plan = await planRun({
    root: context.root,
    cwd: context.cwd,
    selectors: parsed.positionals,
    profile: "standard",
    cores: availableParallelism(),
    ...(scenarios !== undefined && { scenarios: resolve(context.cwd, scenarios) }),
  });
  const servers = serversOf(plan, parsed.positionals.length > 0);
  const text = parsed.flags.has("json") ? listJson(plan, servers) : listText(plan, servers);
  context.stdout.write(`${text}\n`);
  return 0;
}

type Servers = readonly (readonly [string, NonNullable<ReturnType<Planned["library"]["servers"]["get"]>>])[];

function serversOf({ library, sets }: Planned, selected: boolean): Servers {
  const used = new Set(sets.flatMap(({ rows }) => rows.map((row) => row.server.name)));
  return [...library.servers].filter(([name]) => !selected || used.has(name));
}

function listJson(plan: Planned, servers: Servers): string {
  const sets = plan.sets.map((set) => ({
    name: set.name,
    title: set.title,
    expectedMinutes: Number(minutes(plan, set).toFixed(1)),
    rows: set.rows.map((row) => ({
      id: row.id,
      title: row.title,
      server: row.server.name,
      interface: row.server.interface,
      connections: row.connections,
    })),
  }));
  const listed = servers.map(([name, { value }]) => ({
    name,
    title: value.title,
    interfaces: value.interfaces,
    http: value.http,
    requires: value.requires,
    knobs: Object.keys(value.knobs),
  }));
  return JSON.stringify({ sets, servers: listed }, null, 2);
}

function listText(plan: Planned, servers: Servers): string {
  const lines = ["Scenario sets (minutes in the standard profile, without set-up)"];
  for (const set of plan.sets) {
    // Looking for Pythons takes longer than a list should.
    const each = plan.library.sets.get(set.name)?.value.pythons === "all" ? " for each Python found" : "";
    const size = `${plural(set.rows.length, "benchmark")}, ${Math.ceil(minutes(plan, set))} min${each}`;
    lines.push("", `${set.name.padEnd(24)} ${set.title} (${size})`);
    for (const row of set.rows) lines.push(`  ${row.id}`);
  }
  lines.push("", "Servers", "");
  for (const [name, { value }] of servers) {
    const knobs = Object.keys(value.knobs).join(", ");
    lines.push(
      `${name.padEnd(16)} ${value.interfaces.join(", ").padEnd(18)} ${knobs === "" ? "" : `knobs: ${knobs}`}`.trimEnd(),
    );
  }
  return lines.join("\n");
}

function minutes({ profile }: Planned, set: PlannedSet): number {
  return rowsAloneSec(set.rows, profile) / 60;
}
