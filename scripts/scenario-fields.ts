/** Every field of scenario files as Markdown tables: names, values and defaults from the schema, meaning and example from below. */
import type * as v from "valibot";
import { serversFile, setFile } from "../src/plan/schema.js";
import { FIELD_TEXTS } from "./scenario-field-texts.js";

/** What is read of a schema's parts. */
interface Node {
  readonly type: string;
  readonly entries?: Readonly<Record<string, Node>>;
  readonly item?: Node;
  readonly value?: Node;
  readonly wrapped?: Node;
  readonly options?: readonly (Node | string | number)[];
  readonly default?: unknown;
  readonly getter?: (input: unknown) => Node;
}

export interface Field {
  /** Of the mapping that it is in: `servers.*.knobs.*`. */
  readonly section: string;
  readonly name: string;
  readonly schema: v.GenericSchema;
  readonly node: Node;
}

/** Sections of the page, in its order; every mapping of the schema is one of them. */
const TITLES: Readonly<Record<string, string>> = {
  "servers.*": "A server, under `servers:`",
  "servers.*.older": "What older releases need",
  "servers.*.knobs.*": "A knob of a server",
  "servers.*.knobs.*.choices.*": "A choice of a knob",
  "servers.*.tls": "How a server speaks TLS",
  "apps.*": "An app, under `apps:`",
  "apps.*.install": "What an app installs",
  "services.*": "A service, under `services:`",
  "services.*.ready": "When a service is ready: one of these",
  "requests.*": "A request, under `requests:`",
  "requests.*.grpc": "A gRPC call",
  "requests.*.body": "A body: one of these, `repeat` with `size`",
  "requests.*.expect": "The right answer",
  "requests.*.expect.body": "The right body: as a body, or one of these",
  set: "A set",
  "set.rows": "A row; under `defaults:` all of it but `title`, `group` and `matrix`",
};

/** The fields of all mappings, section by section. `$schema` is for editors. */
export function scenarioFields(): Field[] {
  const found = new Map<string, Field>();
  collect(serversFile as unknown as Node, "", found);
  collect(setFile as unknown as Node, "set", found);
  return [...found.values()];
}

/** A mapping that other mappings repeat is listed once. */
const SAME: Readonly<Record<string, string>> = { "set.defaults": "set.rows" };

function collect(node: Node, section: string, found: Map<string, Field>): void {
  for (const one of variants(node)) {
    if (one.item) collect(one.item, section, found);
    if (one.type === "record" && one.value) collect(one.value, joined(section, "*"), found);
    for (const [name, child] of Object.entries(one.entries ?? {})) {
      if (name === "$schema") continue;
      const own = SAME[section] ?? section;
      const key = `${own} ${name}`;
      if (section !== "" && !found.has(key))
        found.set(key, { section: own, name, schema: child as unknown as v.GenericSchema, node: child });
      collect(child, joined(own, name), found);
    }
  }
}

function joined(section: string, name: string): string {
  return section === "" ? name : `${section}.${name}`;
}

/** Without what makes it optional or lazy; the members of a union. */
function variants(node: Node): Node[] {
  if (node.wrapped) return variants(node.wrapped);
  if (node.type === "lazy" && node.getter) return variants(node.getter(undefined));
  if (node.type !== "union") return [node];
  return (node.options ?? []).flatMap((option) => (typeof option === "object" ? variants(option) : []));
}

/** One heading and list for each section. @throws for a field without a text */
export function fieldLists(): string {
  const fields = scenarioFields();
  const sections = [...new Set([...Object.keys(TITLES), ...fields.map(({ section }) => section)])];
  const listed = new Set<string>();
  const lists = sections.flatMap((section) => {
    const own = fields.filter((field) => field.section === section && !isRepeated(field));
    const items = own.map((field) => itemOf(field, listed));
    return items.length === 0 ? [] : [`### ${TITLES[section] ?? `\`${section}\``}\n\n${items.join("\n")}`];
  });
  return lists.join("\n\n");
}

/** A right body can be given in all the ways in which a body is given. */
function isRepeated({ section, name }: Field): boolean {
  const [own, body] = [FIELD_TEXTS[section]?.[name], FIELD_TEXTS["requests.*.body"]?.[name]];
  return section === "requests.*.expect.body" && own?.meaning === body?.meaning;
}

/** @param listed values that an earlier field has listed: they are not repeated */
function itemOf({ section, name, node }: Field, listed: Set<string>): string {
  const text = FIELD_TEXTS[section]?.[name];
  if (text === undefined) throw new Error(`scripts/scenario-field-texts.ts has no text for ${section} ${name}`);
  const values = valuesOf(node);
  const shown = values.length < 3 || listed.has(values.join()) ? [] : [`One of ${values.join(", ")}.`];
  listed.add(values.join());
  const needed = isChoice(section, name) ? "" : neededOf(node);
  return [`- \`${name}: ${text.example}\`${needed}:`, text.meaning, ...shown, ...defaultOf(node)].join(" ");
}

/** In a mapping with alternatives no field is needed: another one can be given instead. */
function isChoice(section: string, name: string): boolean {
  return name === "extends" || (TITLES[section] ?? "").includes("one of these");
}

function neededOf({ type }: Node): string {
  return type === "optional" ? "" : " (needed)";
}

/** Where the text does not give it in words. */
function defaultOf({ default: value }: Node): string[] {
  const shown = Array.isArray(value) ? value.join(", ") : typeof value === "object" ? "" : String(value ?? "");
  return shown === "" || shown === "false" ? [] : [`Default: \`${shown}\`.`];
}

/** Of a closed list. */
function valuesOf(node: Node): string[] {
  return variants(node).flatMap((one) => {
    if (one.type === "array" && one.item) return valuesOf(one.item);
    return one.type === "picklist" ? (one.options ?? []).map((option) => `\`${option}\``) : [];
  });
}
