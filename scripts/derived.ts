/** What the build takes from the sources themselves. */
import { toJsonSchema } from "@valibot/to-json-schema";
import { serversFile, setFile } from "../src/plan/schema.js";

export { compileFile } from "../src/plan/files.js";
export { partsOf, updatePage } from "./pages.js";

/** The JSON Schema that editors use. */
export function scenarioSchema(): object {
  const options = { typeMode: "input", errorMode: "ignore" } as const;
  const set = toJsonSchema(setFile, options);
  const servers = toJsonSchema(serversFile, options);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "server-bench scenario file: a scenario set, or servers.yml",
    if: { required: ["rows"] },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own word
    then: without$schema(set),
    else: without$schema(servers),
  };
}

function without$schema(schema: object): object {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== "$schema"));
}
