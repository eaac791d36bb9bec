/** `--server NAME=SPEC`: what to install for a server instead of its pin. */
import { existsSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { InputError } from "../errors.js";
import { canonical } from "./distribution-name.js";
import { unknownName } from "./nearest.js";
import { COMMAND_LINE } from "./option-names.js";
import type { ServerEntry } from "./schema.js";

function parts(requirement: string): { name: string; extras: string } {
  const match = /^\s*([A-Za-z0-9][\w.-]*)\s*(\[[^\]]*\])?/.exec(requirement);
  return { name: match?.[1] ?? "", extras: match?.[2] ?? "" };
}

/** The distribution that a requirement asks for, in its normal form. */
export function distributionOf(requirement: string): string {
  return canonical(parts(requirement).name);
}

/** `uvicorn[standard]==0.54.0; python_version>"3.9"` without its version; one with an address as it is. */
export function withoutVersion(requirement: string): string {
  if (!hasVersion(requirement) || /@/.test(requirement)) return requirement;
  const { name, extras } = parts(requirement);
  return `${name}${extras}${/\s*;.*$/.exec(requirement)?.[0] ?? ""}`;
}

/** Whether it says which version, or where from. */
export function hasVersion(requirement: string): boolean {
  return /[<>=!~@]/.test(requirement.replace(/;.*$/, ""));
}

/** Splits the options' values. @throws InputError for an unknown server, an empty value, a path that is not there. */
export function parseServerSpecs(
  values: readonly string[],
  servers: readonly string[],
  cwd: string,
  option = COMMAND_LINE.server,
): ReadonlyMap<string, string> {
  const specs = new Map<string, string>();
  for (const value of values) {
    const split = value.indexOf("=");
    const name = split < 0 ? value : value.slice(0, split);
    const spec = split < 0 ? "" : value.slice(split + 1);
    if (spec === "") {
      throw new InputError(
        `invalid ${option} "${value}": write NAME=SPEC, for example granian=2.7.0 or granian=./granian`,
      );
    }
    if (!servers.includes(name))
      throw new InputError(`invalid ${option} "${value}": ${unknownName("server", name, servers)}`);
    if (isFolderOrWheel(spec) && !existsSync(resolve(cwd, spec))) {
      throw new InputError(`invalid ${option} "${value}": there is no ${resolve(cwd, spec)}`);
    }
    if (!isFolderOrWheel(spec) && !URL_SPEC.test(spec) && !VERSIONS.test(spec))
      throw new InputError(
        `invalid ${option} "${value}": "${spec}" is no version (2.7.0), range (>=2,<3), path, wheel or git+https://...@REF${spec.startsWith("=") ? `; write ${name}${spec}` : ""}`,
      );
    specs.set(name, spec);
  }
  return specs;
}

/**
 * The server's requirements with its own distribution replaced: a version (`2.7.0`), a range (`>=2,<3`), a folder or
 * wheel (`.`, `./x.whl`), or a git reference (`git+https://...@ref`).
 */
export function withSpec(server: ServerEntry, spec: string, cwd: string): string[] {
  const distribution = canonical(server.distribution);
  return server.requires.map((requirement) => {
    const { name, extras } = parts(requirement);
    return canonical(name) === distribution ? `${name}${extras}${specifier(spec, cwd)}` : requirement;
  });
}

/** `2.7.0`, `2.*`, `>=2, <3`. Each part begins with a sign that no other part has. */
const VERSIONS =
  /^(?:v?\d[\w.+!*-]*|(?:===|~=|==|!=|<=|>=|<|>) ?v?\d[\w.+!*-]*(?:, ?(?:===|~=|==|!=|<=|>=|<|>) ?v?\d[\w.+!*-]*)*)$/;
const URL_SPEC = /^(git\+|https?:|file:)/;

/** Of the machine, absolute or relative. */
export function isFolderOrWheel(spec: string): boolean {
  return !URL_SPEC.test(spec) && (/^\.|\//.test(spec) || spec.endsWith(".whl"));
}

function specifier(spec: string, cwd: string): string {
  if (URL_SPEC.test(spec)) return ` @ ${spec}`;
  if (isFolderOrWheel(spec)) return ` @ ${pathUrl(spec, cwd)}`;
  return /^[<>=!~]/.test(spec) ? spec : `==${spec}`;
}

function pathUrl(spec: string, cwd: string): string {
  const path = isAbsolute(spec) ? spec : resolve(cwd, spec);
  return `file://${path.split("/").map(encodeURIComponent).join("/")}`;
}
