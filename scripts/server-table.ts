/** The table of servers on docs/server-list.md: what servers.yml says about each of them. */
import { markdownTable } from "markdown-table";
import type { KnobVariant, ServerEntry } from "../src/plan/schema.js";

export type NamedServers = Readonly<Record<string, ServerEntry>>;

export function serverTable(servers: NamedServers): string {
  return markdownTable([
    ["Server", "Version, released", "Protocols", "Settings"],
    ...Object.entries(servers).map(([name, server]) => [
      `\`${name}\`: ${server.interfaces.join(", ")}`,
      `${versionOf(name, server)}, ${releasedOf(name, server)}`,
      protocols(server).join(", "),
      knobs(server).join("; "),
    ]),
  ]);
}

/** @throws Error where nothing pins it */
function versionOf(name: string, { distribution, requires }: ServerEntry): string {
  const pin = requires.find((one) => one.startsWith(`${distribution}==`));
  if (pin === undefined) throw new Error(`servers.yml: ${name} does not pin ${distribution}`);
  const version = pin.slice(distribution.length + 2);
  return distribution === name ? version : `${distribution} ${version}`;
}

/** @throws Error where it is not known */
function releasedOf(name: string, { released }: ServerEntry): string {
  if (released === undefined)
    throw new Error(`servers.yml: ${name} has no "released": the day of its version's release`);
  return released;
}

function protocols({ http, tls, unix }: ServerEntry): string[] {
  return [`HTTP/${http.join(",")}`, ...(tls ? [`TLS/${tls.http.join(",")}`] : []), ...(unix ? ["unix"] : [])];
}

function knobs({ knobs: all }: ServerEntry): string[] {
  return Object.entries(all).map(([name, entry]) => {
    const variants: readonly KnobVariant[] = Array.isArray(entry) ? entry : [entry];
    return `\`${name}\`: ${[...new Set(variants.map(valuesOf))].join(" or ")}`;
  });
}

/** Values, the default in bold; with its interfaces where the knob has not the same values for all. */
function valuesOf({ choices, default: usual, interfaces }: KnobVariant): string {
  const where = interfaces === undefined ? "" : ` (${interfaces.join(", ")})`;
  if (choices === undefined) return `${usual === undefined ? "number" : `**${usual}**`}${where}`;
  const values = Object.keys(choices).map((value) => (value === String(usual) ? `**${value}**` : value));
  return `${values.join(", ")}${where}`;
}
