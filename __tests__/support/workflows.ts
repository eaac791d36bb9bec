/** The workflows that this project ships (examples/) and runs (.github/workflows/), as data. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as v from "valibot";
import { parse } from "yaml";

export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const step = v.looseObject({
  id: v.optional(v.string()),
  uses: v.optional(v.string()),
  run: v.optional(v.string()),
  with: v.optional(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])), {}),
});
const job = v.looseObject({
  if: v.optional(v.string()),
  permissions: v.record(v.string(), v.picklist(["read", "write"])),
  outputs: v.optional(v.record(v.string(), v.string()), {}),
  steps: v.array(step),
});
const workflow = v.looseObject({
  name: v.string(),
  on: v.record(v.string(), v.unknown()),
  permissions: v.unknown(),
  jobs: v.record(v.string(), job),
});
const action = v.looseObject({
  inputs: v.record(v.string(), v.looseObject({ default: v.optional(v.union([v.string(), v.number(), v.boolean()])) })),
  outputs: v.record(v.string(), v.unknown()),
  runs: v.strictObject({ using: v.string(), main: v.string() }),
});

/** What an example's comment tells to write: "# benchmarks/NAME:", and the lines set in below it; by path. */
export function filesShownIn(text: string): Record<string, string> {
  const shown = text.matchAll(/^# (benchmarks\/\S+):\n((?:# {3}.*\n)+)/gm);
  return Object.fromEntries([...shown].map(([, name = "", lines = ""]) => [name, lines.replaceAll(/^# {3}/gm, "")]));
}

export type Step = v.InferOutput<typeof step>;
export interface Workflow {
  /** Relative to the repository. */
  readonly file: string;
  readonly text: string;
  readonly value: v.InferOutput<typeof workflow>;
}

export function workflowsIn(folder: string): Workflow[] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(".yml"));
  return names.map((name) => {
    const text = readFileSync(join(ROOT, folder, name), "utf8");
    return { file: join(folder, name), text, value: v.parse(workflow, parse(text)) };
  });
}

export function stepsOf({ value }: Workflow): Step[] {
  return Object.values(value.jobs).flatMap((one) => one.steps);
}

export function readAction(): v.InferOutput<typeof action> {
  return v.parse(action, parse(readFileSync(join(ROOT, "action.yml"), "utf8")));
}
