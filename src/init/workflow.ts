/** The example workflow for an app -> the one of this project. */

/** @param example text of examples/app.yml */
export function renderWorkflow(example: string, name: string): string {
  const workflow = example.replace(/^(?:#.*\n)+/, "");
  const head = `# Compares each pull request with its base. Written by \`server-bench init\`.\n`;
  return head + workflow.replace(/^( +scenarios: )shop$/m, `$1${name}`);
}
