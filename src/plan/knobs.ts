/** Knobs: what a row asks of a server -> arguments and requirements. */
import { ROWS_PER_SET_MAX } from "./limits.js";
import { unknownName } from "./nearest.js";
import type { KnobValue, KnobVariant, ServerEntry } from "./schema.js";
import type { InterfaceName } from "./types.js";

export interface ResolvedKnobs {
  /** Every knob that has a value and reaches the server, defaults included. */
  readonly values: Readonly<Record<string, KnobValue>>;
  readonly args: readonly string[];
  readonly requires: readonly string[];
}

interface Start {
  /** Values that the row's other fields give. */
  readonly automatic: Readonly<Record<string, KnobValue>>;
  /** What the server is started with: a value without a place in it is refused, and a default is left out. */
  readonly command: readonly string[];
}

/** @throws Error that names knob and server; the caller adds the place. */
export function resolveKnobs(
  serverName: string,
  server: ServerEntry,
  interfaceName: InterfaceName,
  asked: Readonly<Record<string, KnobValue>>,
  { automatic, command }: Start,
): ResolvedKnobs {
  const known = Object.keys(server.knobs);
  for (const name of Object.keys(asked)) {
    if (!known.includes(name)) throw new Error(`server "${serverName}": ${unknownName("knob", name, known)}`);
  }
  const values: Record<string, KnobValue> = {};
  const args: string[] = [];
  const requires: string[] = [];
  for (const [name, entry] of Object.entries(server.knobs)) {
    const variants = Array.isArray(entry) ? entry : [entry];
    const variant = variants.find((candidate) => appliesTo(candidate.interfaces, interfaceName));
    const value = automatic[name] ?? asked[name] ?? variant?.default;
    if (value === undefined) continue;
    if (!variant) throw new Error(`knob "${name}" of server "${serverName}" does not apply to ${interfaceName}`);
    const given = argumentsFor(name, serverName, variant, value, interfaceName);
    requires.push(...given.requires);
    const missing = missingPlace(name, variant, value, command);
    if (missing !== undefined && name in asked) throw new Error(`knob "${name}" of server "${serverName}": ${missing}`);
    if (missing !== undefined) continue;
    values[name] = value;
    args.push(...given.args);
  }
  return { values, args, requires };
}

/** Why a knob's value never reaches the server; undefined where it does. */
export function missingPlace(
  knob: string,
  variant: KnobVariant,
  value: KnobValue,
  command: readonly string[],
): string | undefined {
  const { choices, args = choices?.[String(value)]?.args ?? [] } = variant;
  if (command.some((arg) => arg.includes(`{${knob}}`))) return undefined;
  // A choice may be a package to install, or nothing more than the server does by itself.
  if (args.length > 0 ? command.includes("{knobs}") : choices) return undefined;
  const element = args.length > 0 ? 'the element "{knobs}", or ' : "";
  return `the command of the server has no place for it: give it ${element}{${knob}} where the value belongs`;
}

function appliesTo(interfaces: readonly InterfaceName[] | undefined, name: InterfaceName): boolean {
  return interfaces === undefined || interfaces.includes(name);
}

function argumentsFor(
  knob: string,
  serverName: string,
  variant: KnobVariant,
  value: KnobValue,
  interfaceName: InterfaceName,
): { args: readonly string[]; requires: readonly string[] } {
  const subject = `knob "${knob}" of server "${serverName}"`;
  if (variant.choices) {
    const choices = Object.entries(variant.choices).filter(([, choice]) => appliesTo(choice.interfaces, interfaceName));
    const choice = choices.find(([name]) => name === String(value))?.[1];
    if (!choice) {
      const names = choices.map(([name]) => name).join(", ");
      throw new Error(`${subject} is ${JSON.stringify(value)}; for ${interfaceName} it can be: ${names}`);
    }
    return { args: choice.args ?? [], requires: choice.requires ?? [] };
  }
  if (typeof value !== "number" || !Number.isInteger(value) || value < 0) {
    throw new Error(`${subject} is ${JSON.stringify(value)}; it takes a whole number`);
  }
  return { args: (variant.args ?? []).map((arg) => arg.replaceAll("{value}", String(value))), requires: [] };
}

/** `cores`, `cores/2`, `cores*0.4` -> a number of this machine, at least 1; anything else as it is. */
export function scaleToCores(value: KnobValue, cores: number): KnobValue {
  const match = typeof value === "string" ? /^cores(?:([*/])(\d+(?:\.\d+)?))?$/.exec(value) : null;
  if (!match) return value;
  const factor = Number(match[2] ?? 1);
  return Math.max(1, Math.round(match[1] === "/" ? cores / factor : cores * factor));
}

/**
 * Every combination of a matrix, in the order of its fields; values that are equal on this machine count once.
 * @throws Error for too many; the caller adds the place
 */
export function combinations(
  matrix: Readonly<Record<string, readonly KnobValue[]>>,
  cores: number,
): Record<string, KnobValue>[] {
  let rows: Record<string, KnobValue>[] = [{}];
  for (const [name, values] of Object.entries(matrix)) {
    const distinct = [...new Set(values.map((value) => scaleToCores(value, cores)))];
    if (rows.length * distinct.length > ROWS_PER_SET_MAX)
      throw new Error(`has more than ${ROWS_PER_SET_MAX} combinations: use fewer values`);
    rows = rows.flatMap((row) => distinct.map((value) => ({ ...row, [name]: value })));
  }
  return rows;
}
