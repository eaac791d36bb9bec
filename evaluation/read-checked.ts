/** Files of figures that an evaluation has written. */
import { readFile } from "node:fs/promises";
import type { BaseIssue, BaseSchema, InferOutput } from "valibot";
import { InputError, messageLine } from "../src/errors.js";
import { checkShape } from "../src/results/check.js";

/** @throws InputError that names the file and the field */
export async function readChecked<Schema extends BaseSchema<unknown, unknown, BaseIssue<unknown>>>(
  file: string,
  schema: Schema,
): Promise<InferOutput<Schema>> {
  const value: unknown = await readFile(file, "utf8")
    .then(JSON.parse)
    .catch((error) => {
      throw new InputError(`${file}: ${messageLine(error)}`);
    });
  const checked = checkShape(schema, value);
  if (checked.state === "valid") return checked.value;
  throw new InputError(checked.problems.map((problem) => `${file}: ${problem}`).join("\n"));
}
