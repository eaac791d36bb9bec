/** The workflows that this project ships (examples/), shows (Markdown pages) and runs (.github/workflows/), as data. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { parse } from "yaml";
import { workflowSnippets } from "../../scripts/snippets.mjs";
import { pages } from "./pages.js";
import { ROOT } from "./root.js";

export { ROOT };

const step = v.looseObject({
  id: v.optional(v.string()),
  uses: v.optional(v.string()),
  run: v.optional(v.string()),
  with: v.optional(v.record(v.string(), v.union([v.string(), v.number(), v.boolean()])), {}),
});
const labels = v.union([
  v.array(v.string()),
  v.pipe(
    v.string(),
    v.transform((label) => [label]),
  ),
]);
const needs = v.optional(labels, []);
const job = v.looseObject({
  if: v.optional(v.string()),
  needs,
  "runs-on": labels,
  permissions: v.record(v.string(), v.picklist(["read", "write"])),
  outputs: v.optional(v.record(v.string(), v.string()), {}),
  strategy: v.optional(v.looseObject({ matrix: v.unknown() })),
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

/** The files that an example's comment shows, by path: "# benchmarks/NAME:", and the indented lines below it. */
export function filesShownIn(text: string): Record<string, string> {
  const shown = text.matchAll(/^# (benchmarks\/\S+):\n((?:# {3}.*\n)+)/gm);
  return Object.fromEntries([...shown].map(([, name = "", lines = ""]) => [name, lines.replaceAll(/^# {3}/gm, "")]));
}

export type Step = v.InferOutput<typeof step>;
export type WorkflowJob = v.InferOutput<typeof job>;
export interface Workflow {
  /** Relative to the repository. */
  readonly file: string;
  readonly text: string;
  readonly value: v.InferOutput<typeof workflow>;
}

/** `on` may be one event, and a job without permissions has those of the workflow. */
function read(text: string): v.InferOutput<typeof workflow> {
  const { on, permissions, jobs, ...rest } = parse(text);
  const whole = Object.entries(jobs).map(([name, one]) => [name, { permissions, ...(one as object) }]);
  const events = typeof on === "string" ? { [on]: null } : on;
  return v.parse(workflow, { ...rest, on: events, permissions, jobs: Object.fromEntries(whole) });
}

export function workflowsIn(folder: string): Workflow[] {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(".yml"));
  return names.map((name) => {
    const text = readFileSync(join(ROOT, folder, name), "utf8");
    return { file: join(folder, name), text, value: read(text) };
  });
}

/** The code blocks of pages that are workflows; `file` names the page and the line. */
export function workflowsShown(): Workflow[] {
  return pages().flatMap((page) =>
    workflowSnippets(page.text).map(({ line, text }) => ({
      file: `${page.file}:${line}`,
      text,
      value: read(text),
    })),
  );
}

export function stepsOf({ value }: Workflow): Step[] {
  return Object.values(value.jobs).flatMap((one) => one.steps);
}

export function readAction(): v.InferOutput<typeof action> {
  return v.parse(action, parse(readFileSync(join(ROOT, "action.yml"), "utf8")));
}
