/** A row as the plan makes it, of one plain request. */
import type { PlannedRow } from "../../src/plan/types.js";

/** @param id `set/name` */
export function plannedRow(
  id: string,
  server: Partial<PlannedRow["server"]> & Pick<PlannedRow["server"], "name" | "command">,
  change: Partial<PlannedRow> = {},
): PlannedRow {
  const [set = "", title = ""] = id.split("/");
  const expect = { status: 200, body: { kind: "text", text: "hello" } } as const;
  return {
    ...{ id, set, title, knobs: {}, http: 1, streams: 1, connections: [8], timeoutSec: 1, waits: false },
    ...{ generator: "oha", windowSec: 0.5, everyLatency: false },
    server: { title: server.name, interface: "asgi", cwd: "/", env: {}, readyTimeoutSec: 5, ...server },
    environment: { server: server.name, requires: [], distribution: server.name, systemPackages: [] },
    request: { name: "get", method: "GET", path: "/", headers: {}, expect },
    ...change,
  };
}
