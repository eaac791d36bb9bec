/** How requests are sent: shares of the maximum, unix sockets, idle connections; and what a server that lacks one is refused with. */
import { expect, it } from "vitest";
import { planRun } from "../../src/plan/plan.js";
import { scenarioFolder } from "../support/scenarios.js";
import { ROOT } from "../support/workflows.js";

async function planned(row: string, fields = "", profile: "quick" | "standard" = "quick") {
  const rows = `title: Mine\n${fields}rows:\n  - { title: Row, request: plaintext, ${row} }\n`;
  const scenarios = await scenarioFolder({ "mine.yml": rows });
  const { sets } = await planRun({ root: ROOT, cwd: ROOT, profile, cores: 2, scenarios, selectors: ["mine"] });
  const [first] = sets.flatMap((set) => set.rows);
  if (!first) throw new Error("a row");
  return { row: first, methodology: sets.flatMap((set) => set.methodology).join(" ") };
}

it("plans a share of the server's own maximum", async () => {
  const { row, methodology } = await planned("server: uvicorn, rate: 50%");
  expect(row).toMatchObject({ rateShare: 0.5, latency: true });
  expect(row.ratePerSec).toBeUndefined();
  expect(methodology).toContain("50 % of the row's own maximum");
});

it("says which row sends by a clock, and which opens a connection for each request", async () => {
  const { methodology } = await planned(
    "server: uvicorn, rate: 100 }\n  - { title: closed, server: uvicorn, request: plaintext, keep-alive: false",
  );
  expect(methodology).toContain('The row "Row" uses a fixed rate (100 requests per second)');
  expect(methodology).toContain('The row "closed" uses a new connection for each request');
});

it("plans a unix socket: the server's other command, without host and port", async () => {
  const { row, methodology } = await planned("server: uvicorn, unix-socket: true");
  expect(row.socket).toBe(true);
  expect(row.server.command.join(" ")).toContain("--uds {socket}");
  expect(row.server.command.join(" ")).not.toContain("{port}");
  expect(methodology).toContain("a unix socket instead of TCP");
});

it("plans idle connections, and the measurement of the start", async () => {
  const { row, methodology } = await planned("server: uvicorn, idle-connections: 1000, startup: true");
  expect(row).toMatchObject({ idleConnections: 1000, startup: true });
  expect(methodology).toContain("1000 idle connections in addition to the load");
});

it("says how many starts are shown: one in the quick profile", async () => {
  expect((await planned("server: uvicorn, startup: true")).methodology).toContain("One start is shown");
  const { methodology } = await planned("server: uvicorn, startup: true", "", "standard");
  expect(methodology).toContain("The median of several starts is shown");
});

it("accepts idle connections beside one number of connections, also in a list", async () => {
  expect((await planned("server: uvicorn, idle-connections: 10, connections: [16]")).row.connections).toEqual([16]);
});

it.each([
  ["columns", "startup", "write `startup: true`"],
  ["columns", "startup-memory", "write `startup: true`"],
  ["columns", "idle-memory", "write `idle-connections`"],
  ["columns", "ws-send", "write `generator: websocket`"],
  ["charts", "startup", "write `startup: true`"],
])("refuses %s with %s, which no row can fill", async (field, column, remedy) => {
  await expect(planned("server: uvicorn", `${field}: [rps, ${column}]\n`)).rejects.toThrow(
    new RegExp(`mine\\.yml:2.*no row of the set can fill the column "${column}": ${remedy}`),
  );
});

it.each(["first-byte", '"p99.9"'])("refuses the column %s where no row is loaded by oha", async (column) => {
  await expect(planned("server: uvicorn, generator: wrk", `columns: [${column}]\n`)).rejects.toThrow(
    /can fill the column "\S+": only the load generator oha measures it/,
  );
});

it("accepts such a column where one row can fill it", async () => {
  const columns = "columns: [startup, idle-memory, first-byte]\n";
  const { row } = await planned("server: uvicorn, startup: true, idle-connections: 10", columns);
  expect(row.startup).toBe(true);
});

it.each([
  ["server: daphne, tls: true", /server "daphne" has no "tls" in servers\.yml/],
  ["server: uvicorn, http: 2", /server "uvicorn" does not speak HTTP\/2 without TLS/],
  ["server: uvicorn, tls: true, http: 2", /server "uvicorn" does not speak HTTP\/2 with TLS/],
  ["server: daphne, unix-socket: true", /server "daphne" has no "unix" in servers\.yml/],
  ["server: uvicorn, unix-socket: true, tls: true", /unix-socket: true needs HTTP\/1 without TLS/],
  [
    "server: uvicorn, unix-socket: true, generator: wrk",
    /unix-socket: true needs the load generator oha; wrk uses TCP/,
  ],
  ["server: uvicorn, tls: true, idle-connections: 10", /idle-connections needs HTTP\/1 over TCP without TLS/],
  ["server: uvicorn, idle-connections: 60000", /at most 50000/],
  [
    "server: uvicorn, idle-connections: 10, connections: [16, 64]",
    /mine\.yml:3.*idle-connections needs one number of connections, not 16, 64/,
  ],
  ["server: uvicorn, rate: 120%", /a share of the server's maximum such as 50%/],
  ["server: robyn, app: aiohttp", /server "robyn" does not speak aiohttp \(app "aiohttp"\); it speaks robyn/],
])("refuses %s", async (row, message) => {
  await expect(planned(row)).rejects.toThrow(message);
});
