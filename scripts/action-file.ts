/** action.yml, from the table of inputs and outputs. */
import { descriptionOf, INPUT_GROUPS, INPUTS, type Input, OUTPUTS } from "../src/options/inputs.js";

const HEAD = `# Made from src/options/inputs.ts by \`npm run build\`.
name: server-bench
description: Benchmarks Python web servers and decides whether a pull request made them faster or slower
author: server-bench
branding:
  icon: bar-chart-2
  color: blue
`;

export function actionFile(): string {
  const inputs = INPUT_GROUPS.map((group) => {
    const own = Object.entries(INPUTS).filter(([, input]) => input.group === group);
    return `  # ${group}\n${own.map(([name, input]) => entryOf(name, input)).join("")}`;
  });
  const outputs = Object.entries(OUTPUTS).map(([name, output]) => entryOf(name, output));
  return `${HEAD}inputs:\n${inputs.join("")}outputs:\n${outputs.join("")}runs:\n  using: node24\n  main: dist/action.js\n`;
}

/** A string of JSON is one of YAML. */
function entryOf(name: string, entry: Pick<Input, "only" | "help" | "details" | "default">): string {
  const value = entry.default === undefined ? "" : `    default: ${JSON.stringify(entry.default)}\n`;
  return `  ${name}:\n    description: ${JSON.stringify(descriptionOf(entry))}\n${value}`;
}
