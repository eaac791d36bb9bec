/** The built-in set: its table is the published page's. */
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { planRun } from "../../src/plan/plan.js";
import { METRIC_COLUMNS } from "../../src/results/metric-columns.js";

const root = fileURLToPath(new URL("../..", import.meta.url));

it("websockets has the page's columns, and every number of clients", async () => {
  const plan = await planRun({ root, cwd: root, selectors: ["websockets"], profile: "standard", cores: 2 });
  const [set] = plan.sets;
  expect([set?.connectionsColumn, set?.label, ...(set?.columns ?? []).map((column) => METRIC_COLUMNS[column])]).toEqual(
    ["Clients", "Server", "Send throughput", "Receive throughput", "Combined throughput"],
  );
  expect(set?.rows.map((row) => row.title)).toEqual(["Granian Rsgi", "Granian Asgi", "Uvicorn H11", "Hypercorn"]);
  for (const row of set?.rows ?? []) expect(row.connections).toEqual([8, 16, 32, 64]);
  expect(set?.rows[0]?.server.command).toContain("--ws");
  const said = set?.methodology.join(" ");
  expect(said).toContain("A broadcast that brings nothing for 10 s has failed.");
  expect(said).not.toContain("the best one");
});
