/** docs/scenario-files.md explains every field that scenario files can have, with an example that is right. */
import * as v from "valibot";
import { expect, it } from "vitest";
import { parse } from "yaml";
import { FIELD_TEXTS } from "../../scripts/scenario-field-texts.js";
import { fieldLists, scenarioFields } from "../../scripts/scenario-fields.js";

const fields = scenarioFields();

it("every field has a text, and every text a field", () => {
  const named = Object.entries(FIELD_TEXTS).flatMap(([section, texts]) =>
    Object.keys(texts).map((name) => `${section} ${name}`),
  );
  expect(named.sort()).toEqual(fields.map(({ section, name }) => `${section} ${name}`).sort());
});

it.each(fields.map((field) => [`${field.section} ${field.name}`, field] as const))(
  "%s: the example is right",
  (_, field) => {
    const example = FIELD_TEXTS[field.section]?.[field.name]?.example ?? "";
    const value: unknown = parse(`value: ${example}`).value;
    expect(v.safeParse(field.schema, value).issues).toBeUndefined();
  },
);

it("shows what is needed, values and defaults in one list for each mapping", () => {
  const lists = fieldLists();
  expect(lists).toContain("### A server, under `servers:`");
  expect(lists).toContain("- `ready-timeout: 60`: Seconds until the first right answer. Default: `20`.");
  expect(lists).toMatch(/- `interfaces: \[asgi, wsgi\]` \(needed\): .* One of `asgi`, `rsgi`, `wsgi`, /);
});
