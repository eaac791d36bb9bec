/** The example workflow for an app -> the one of this project. */
import { stringify } from "yaml";

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

/** @param example text of examples/app.yml */
export function renderWorkflow(example: string, { name, python, folder }: ProjectPlace): string {
  const head = `# Compares each pull request with its base. Written by \`server-bench init\`.\n`;
  const workflow = example
    .replace(/^(?:#.*\n)+/, "")
    .replace(/^( +scenarios: )shop$/m, `$1${name}`)
    .replace(/^( +python-version: ).*$/m, `$1"${python.split(".").slice(0, 2).join(".")}"`);
  return head + (folder === "" ? workflow : inFolder(workflow, name, folder));
}

/** Names and the comment are its own, because other projects of the repository may be measured too. */
function inFolder(workflow: string, name: string, folder: string): string {
  return workflow
    .replace(/^name: .*$/m, `$& ${name}`)
    .replaceAll(/^ {4}name: .*$/gm, `$& ${name}`)
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
