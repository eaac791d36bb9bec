/** An example workflow -> the one of this project. */
import { stringify } from "yaml";

/** Where `init` writes the sets of a project. */
export const SCENARIOS_FOLDER = "benchmarks";

export interface ProjectPlace {
  /** Of the set. */
  readonly name: string;
  /** The Python under which the app was tried: `3.11.7`. */
  readonly python: string;
  /** The project in its repository: `services/shop`; "" for the repository itself. */
  readonly folder: string;
}

/** In the repository. A repository of several projects has a workflow for each. */
export function workflowFile({ name, folder }: Pick<ProjectPlace, "name" | "folder">): string {
  return `.github/workflows/benchmark${folder === "" ? "" : `-${name}`}.yml`;
}

const HEAD = `# Compares each pull request with its base. Written by \`server-bench init\`.\n`;

/**
 * One job that measures and writes the comment.
 * @param example text of examples/pull-request.yml
 */
export function renderWorkflow(example: string, { name, folder }: Omit<ProjectPlace, "python">): string {
  const workflow = HEAD + withoutHeader(example);
  if (folder === "") return workflow;
  const inputs = { "scenarios-dir": `${literal(folder)}/${SCENARIOS_FOLDER}`, "comment-key": name };
  const lines = Object.entries(inputs).map(([key, value]) => `          ${key}: ${stringify(value).trimEnd()}\n`);
  const named = workflow.replace(/^ {2}benchmark:$/m, `$&\n    name: Benchmark`);
  return `${withNames(named, name)}        with:\n${lines.join("")}`;
}

/**
 * A job that measures with a token that can only read, and another one that writes the comment.
 * @param example text of examples/app.yml
 */
export function renderHardenedWorkflow(example: string, { name, python, folder }: ProjectPlace): string {
  const workflow = withoutHeader(example)
    .replace(/^( +scenarios: )shop$/m, `$1${name}`)
    .replace(/^( +python-version: ).*$/m, `$1"${python.split(".").slice(0, 2).join(".")}"`);
  return HEAD + (folder === "" ? workflow : inFolder(workflow, name, folder));
}

/** The comment at the top describes the example. */
function withoutHeader(example: string): string {
  return example.replace(/^(?:#.*\n)+/, "");
}

/** Names and the comment are its own, because other projects of the repository may be measured too. */
function withNames(workflow: string, name: string): string {
  return workflow.replace(/^name: .*$/m, `$& ${name}`).replaceAll(/^ {4}name: .*$/gm, `$& ${name}`);
}

function inFolder(workflow: string, name: string, folder: string): string {
  return withNames(workflow, name)
    .replace(/^( +scenarios-dir: )(.*)$/m, (_, key: string, own: string) =>
      `${key}${stringify(`${literal(folder)}/${own}`)}`.trimEnd(),
    )
    .replace(/^( +)comment: false\b.*$/m, `$&\n$1comment-key: ${name}`)
    .replace(/^( +)command: report$/m, `$&\n$1comment-key: ${name}`);
}

/** GitHub evaluates what stands in these braces, also in a name. */
function literal(text: string): string {
  return text.replaceAll(/[$]\{\{/g, (open) => `${open} '${open}' }}`);
}
