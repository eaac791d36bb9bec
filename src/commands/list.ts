/** `list`: what can be run, and how long it takes. */
import { availableParallelism } from "node:os";
import { planRun } from "../plan/plan.js";
import { expectedRowSec } from "../plan/profile.js";
import type { PlannedSet, Profile } from "../plan/types.js";
import { noPositionals, type ParsedCommand, textOf } from "./options.js";
import type { ProcessContext } from "./process-context.js";

export async function list(parsed: ParsedCommand, context: ProcessContext): Promise<number> {
  noPositionals(parsed);
  const scenarios = textOf(parsed, "scenarios");
  const plan = await planRun({
    root: context.root,
    cwd: context.cwd,
    selectors: [],
    profile: "standard",
    cores: availableParallelism(),
    ...(scenarios === undefined ? {} : { scenarios }),
  });
  const minutes = (set: PlannedSet) => expectedMinutes(set, plan.profile);
  if (parsed.flags.has("json")) {
    const sets = plan.sets.map((set) => ({
      name: set.name,
      title: set.title,
      expectedMinutes: Number(minutes(set).toFixed(1)),
      rows: set.rows.map((row) => ({
        id: row.id,
        title: row.title,
        server: row.server.name,
        interface: row.server.interface,
        connections: row.connections,
      })),
    }));
    const servers = [...plan.library.servers].map(([name, { value }]) => ({
      name,
      title: value.title,
      interfaces: value.interfaces,
      http: value.http,
      requires: value.requires,
      knobs: Object.keys(value.knobs),
    }));
    context.stdout.write(`${JSON.stringify({ sets, servers }, null, 2)}\n`);
    return 0;
  }
  const lines = ["Scenario sets (minutes in the standard profile, without set-up)"];
  for (const set of plan.sets) {
    // Looking for Pythons takes longer than a list should.
    const each = plan.library.sets.get(set.name)?.value.pythons === "all" ? " for each Python found" : "";
    const size = `${set.rows.length} rows, ${Math.ceil(minutes(set))} min${each}`;
    lines.push("", `${set.name.padEnd(24)} ${set.title} (${size})`);
    for (const row of set.rows) lines.push(`  ${row.id}`);
  }
  lines.push("", "Servers", "");
  for (const [name, { value }] of plan.library.servers) {
    const knobs = Object.keys(value.knobs).join(", ");
    lines.push(
      `${name.padEnd(16)} ${value.interfaces.join(", ").padEnd(18)} ${knobs === "" ? "" : `knobs: ${knobs}`}`.trimEnd(),
    );
  }
  context.stdout.write(`${lines.join("\n")}\n`);
  return 0;
}

function expectedMinutes(set: PlannedSet, profile: Profile): number {
  const seconds = set.rows.map((row) => expectedRowSec(profile, row.windowSec, row.connections.length));
  return seconds.reduce((sum, value) => sum + value, 0) / 60;
}
