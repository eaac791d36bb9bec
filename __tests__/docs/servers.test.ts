/** docs/server-list.md: every server of servers.yml with its version, the day of its release, its protocols and its settings. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type NamedServers, serverTable } from "../../scripts/server-table.js";
import { loadLibrary } from "../../src/plan/load.js";
import { ROOT } from "../support/workflows.js";

const { servers } = await loadLibrary(ROOT, undefined);
const named: NamedServers = Object.fromEntries([...servers].map(([name, { value }]) => [name, value]));
const page = readFileSync(join(ROOT, "docs/server-list.md"), "utf8");

it.each([...servers.keys()])("%s is on the page, with the day of its release", (name) => {
  const line = page.split("\n").find((one) => one.startsWith(`| \`${name}\`: `));
  expect(line).toMatch(/ \d[\w.]*, 20\d\d-\d\d-\d\d /);
  for (const knob of Object.keys(servers.get(name)?.value.knobs ?? {})) expect(line).toContain(`\`${knob}\`: `);
});

it("shows protocols, and the default of a setting in bold", () => {
  const line = serverTable(named)
    .split("\n")
    .find((one) => one.includes("`granian`"));
  expect(line).toContain("HTTP/1,2, TLS/1,2, unix");
  expect(line).toContain("`loop`: asyncio, **uvloop**, rloop (asgi, rsgi)");
});

it("refuses a server without the day of its release, or whose version is not pinned", () => {
  const { granian } = named;
  if (!granian) throw new Error("granian");
  const { released: _, ...undated } = granian;
  expect(() => serverTable({ granian: undated })).toThrow(/granian has no "released"/);
  expect(() => serverTable({ granian: { ...granian, requires: ["granian"] } })).toThrow(/granian does not pin granian/);
});
