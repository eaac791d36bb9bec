/** What the build takes from the sources themselves. */
import { toJsonSchema } from "@valibot/to-json-schema";
import type * as v from "valibot";
import { serversFile, setFile } from "../src/plan/schema.js";

export { compileFile } from "../src/plan/files.js";
export { actionFile } from "./action-file.js";
export { partsOf, updatePage } from "./pages.js";

/** The JSON Schema that editors use. */
export function scenarioSchema(): object {
  const set = jsonSchemaOf(setFile);
  const servers = jsonSchemaOf(serversFile);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "server-bench scenario file: a scenario set, or servers.yml",
    if: { anyOf: [{ required: ["rows"] }, { required: ["extends"] }] },
    // biome-ignore lint/suspicious/noThenProperty: JSON Schema's own word
    then: without$schema(set),
    else: without$schema(servers),
  };
}

/** A schema that depends on its input becomes all that it can be. */
function jsonSchemaOf(schema: v.GenericSchema): object {
  return toJsonSchema(schema, {
    typeMode: "input",
    errorMode: "ignore",
    overrideSchema: ({ valibotSchema }) =>
      isLazy(valibotSchema) ? without$schema(jsonSchemaOf(valibotSchema.getter(undefined))) : undefined,
  });
}

function isLazy(schema: object): schema is v.LazySchema<v.GenericSchema> {
  return "type" in schema && schema.type === "lazy";
}

function without$schema(schema: object): object {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== "$schema"));
}
