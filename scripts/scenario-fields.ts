/** Every field of scenario files as Markdown tables: names, values and defaults from the schema, meaning and example from below. */
import { markdownTable } from "markdown-table";
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
  readonly literal?: unknown;
  readonly default?: unknown;
  readonly pipe?: readonly PipeStep[];
  readonly getter?: (input: unknown) => Node;
}

interface PipeStep {
  readonly type: string;
  readonly message?: unknown;
  readonly pipe?: readonly PipeStep[];
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
  "requests.*.expect.body": "The right body: one of these",
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
      const known = found.get(key);
      if (known && isChoice(own, name) && !sameKinds(known.node, child))
        found.set(key, { ...known, node: eitherOf(known.node, child) });
      if (section !== "" && !known)
        found.set(key, { section: own, name, schema: child as unknown as v.GenericSchema, node: child });
      collect(child, joined(own, name), found);
    }
  }
}

/** A field that two alternatives of a mapping have with different values. */
function eitherOf(one: Node, other: Node): Node {
  return { type: "union", options: [one, other] };
}

function sameKinds(one: Node, other: Node): boolean {
  return kindsOf(eitherOf(one, other)) === kindsOf(one);
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

/** One heading and table for each section. @throws for a field without a text */
export function fieldTables(): string {
  const fields = scenarioFields();
  const sections = [...new Set([...Object.keys(TITLES), ...fields.map(({ section }) => section)])];
  const tables = sections.flatMap((section) => {
    const rows = fields.filter((field) => field.section === section).map(rowOf);
    if (rows.length === 0) return [];
    const table = markdownTable([["Field", "Value", "Default", "Meaning", "Example"], ...rows]);
    return [`### ${TITLES[section] ?? `\`${section}\``}\n\n${table}`];
  });
  return tables.join("\n\n");
}

function rowOf({ section, name, node }: Field): string[] {
  const text = FIELD_TEXTS[section]?.[name];
  if (text === undefined) throw new Error(`scripts/scenario-field-texts.ts has no text for ${section} ${name}`);
  return [
    `\`${name}\``,
    cell(kindsOf(node)),
    cell(isChoice(section, name) ? "" : defaultOf(node)),
    cell(text.meaning),
    `\`${cell(`${name}: ${text.example}`)}\``,
  ];
}

/** In a mapping with alternatives no field is needed: another one can be given instead. */
function isChoice(section: string, name: string): boolean {
  return name === "extends" || (TITLES[section] ?? "").includes("one of these");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}

function defaultOf(node: Node): string {
  if (node.type !== "optional") return "needed";
  const { default: value } = node;
  const empty = value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
  return empty ? "" : `\`${JSON.stringify(value)}\``;
}

function kindsOf(node: Node): string {
  return [...new Set(variants(node).map(kindOf))].join(" or ");
}

function kindOf(node: Node): string {
  switch (node.type) {
    case "picklist":
      return (node.options ?? []).map((option) => `\`${option}\``).join(", ");
    case "literal":
      return `\`${String(node.literal)}\``;
    case "number":
      return isWhole(node) ? "whole number" : "number";
    case "string":
      return patternWords(node) ?? "text";
    case "boolean":
      return "`true` or `false`";
    case "array":
      return `list of ${plural(node.item)}`;
    case "record":
      return `mapping of names to ${plural(node.value)}`;
    case "unknown":
      return "any value";
    case "tuple":
      return "list of two whole numbers";
    default:
      return "mapping";
  }
}

/** A number with a further limit has the number's own schema in its pipe. */
function isWhole({ pipe = [] }: Pick<Node, "pipe">): boolean {
  return pipe.some((step) => step.type === "integer" || step.type === "safe_integer" || isWhole(step));
}

function patternWords({ pipe = [] }: Node): string | undefined {
  const words = pipe.flatMap(({ type, message }) => (type === "regex" && typeof message === "string" ? [message] : []));
  return words[0]?.startsWith("lower-case letters") ? "a name" : words[0];
}

function plural(node: Node | undefined): string {
  const kinds = new Set((node ? variants(node) : []).map(kindOf));
  const words = [...kinds].map((kind) =>
    /^(text|mapping|number|whole number)$/.test(kind) ? `${kind}s`.replace("texts", "text") : kind,
  );
  return words.join(" or ");
}
