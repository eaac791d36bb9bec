/** `init`'s options, checked. */
import { resolve } from "node:path";
import { InputError } from "../../errors.js";
import type { InterfaceName } from "../../plan/types.js";
import { type ParsedCommand, textOf } from "../options.js";

export interface InitOptions {
  /** Absolute. */
  readonly project: string;
  readonly app: string | undefined;
  readonly interface: InterfaceName | undefined;
  readonly server: string | undefined;
  readonly routes: readonly string[];
  readonly requires: readonly string[];
  /** Variables that the app is given. */
  readonly env: Readonly<Record<string, string>>;
  readonly name: string | undefined;
  readonly python: string | undefined;
  readonly yes: boolean;
  readonly force: boolean;
  /** A job that measures, and another one that writes the comment. */
  readonly hardened: boolean;
}

/** `module:object`, `module:function()` */
const TARGET = /^[A-Za-z_][\w.]*:[A-Za-z_][\w.]*(\(\))?$/;

/** @throws InputError that names the option */
export function readInitOptions(parsed: ParsedCommand, cwd: string): InitOptions {
  const [folder = ".", ...more] = parsed.positionals;
  if (more.length > 0) throw new InputError(`init takes one folder, got ${parsed.positionals.join(" ")}`);
  const routes = parsed.values.get("route") ?? [];
  for (const route of routes)
    if (!/^\/[^\s#]*$/.test(route)) throw new InputError(`invalid --route "${route}": write a path such as /items/1`);
  const app = textOf(parsed, "app");
  if (app !== undefined && !TARGET.test(app))
    throw new InputError(`invalid --app "${app}": write MODULE:OBJECT as Python imports it, such as shop.main:app`);
  return {
    project: resolve(cwd, folder),
    app,
    interface: interfaceOf(textOf(parsed, "interface")),
    server: textOf(parsed, "server"),
    routes,
    requires: parsed.values.get("requires") ?? [],
    env: Object.fromEntries((parsed.values.get("env") ?? []).map(variableOf)),
    name: textOf(parsed, "name"),
    python: textOf(parsed, "python"),
    yes: parsed.flags.has("yes"),
    force: parsed.flags.has("force"),
    hardened: parsed.flags.has("hardened"),
  };
}

function variableOf(given: string): readonly [string, string] {
  const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(given) ?? [];
  if (name === undefined || value === undefined)
    throw new InputError(`invalid --env "${given}": write NAME=VALUE, such as SECRET_KEY=benchmark`);
  return [name, value];
}

function interfaceOf(given: string | undefined): InterfaceName | undefined {
  if (given === undefined) return undefined;
  const found = (["asgi", "wsgi", "rsgi"] as const).find((name) => name === given);
  if (!found) throw new InputError(`invalid --interface "${given}": use asgi, wsgi or rsgi`);
  return found;
}
