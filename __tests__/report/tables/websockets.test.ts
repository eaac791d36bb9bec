/** A set whose concurrencies are lines of their own, with the columns of a broadcast. */
import { expect, it } from "vitest";
import { renderReport } from "../../../src/report/markdown/report.js";
import { renderTerminal } from "../../../src/report/terminal/terminal.js";
import type { CaseResult } from "../../../src/results/schema.js";
import { renderGfm, tablesOf } from "../../support/gfm.js";
import { completed, failed, resultsOf, type SetInfo } from "../../support/results.js";

const set: SetInfo = {
  name: "websockets",
  title: "Websockets",
  methodology: [],
  label: "Server",
  connectionsColumn: "Clients",
  knobColumns: {},
  columns: ["ws-send", "ws-receive", "ws-combined"],
};
const messages = { sentPerSec: 978859.4, receivedPerSec: 216753.2, combinedPerSec: 243847.35 };
const broadcast = (slug: string, title: string, clients: number, summary = {}) =>
  completed(`websockets/${slug}`, title, clients, messages.receivedPerSec, { summary: { messages, ...summary } });

const CASES: CaseResult[] = [
  broadcast("granian-rsgi", "Granian Rsgi", 8),
  broadcast("granian-rsgi", "Granian Rsgi", 16),
  broadcast("uvicorn-h11", "Uvicorn H11", 8, { clientBound: true }),
  failed("websockets/uvicorn-h11", "Uvicorn H11", 16, {
    reason: "the broadcast was never complete: 3 x connection closed",
  }),
];

it("has the published page's table: every number of clients, N/A for a server that fails", () => {
  const page = renderReport(resultsOf(CASES, { sets: [set] }));
  expect(tablesOf(renderGfm(page))[0]).toEqual([
    ["Clients", "Server", "Send throughput", "Receive throughput", "Combined throughput"],
    ["8", "Granian Rsgi", "978859", "216753", "243847"],
    ["8", "Uvicorn H11", "978859", "≥ 216753", "≥ 243847"],
    ["16", "Granian Rsgi", "978859", "216753", "243847"],
    ["16", "Uvicorn H11", "N/A", "N/A", "N/A"],
  ]);
  expect(page).toContain("- `Uvicorn H11 (c16)`: failed: the broadcast was never complete: 3 x connection closed");
  expect(page).toContain("≥ marks a benchmark as client-bound");
});

it("shows failures where there are any", () => {
  const wrong = { failures: { total: 7, byKind: { "wrong message": 7 } } };
  const page = renderReport(resultsOf([broadcast("a", "A", 8, wrong)], { sets: [set] }));
  expect(tablesOf(renderGfm(page))[0]?.[1]).toEqual(["8", "A", "978859", "216753", "243847", "7"]);
  expect(page).toContain("- `A (c8)`: 7 failures: 7 wrong message");
});

it("fits a terminal", () => {
  const text = renderTerminal(resultsOf(CASES, { sets: [set] }), { columns: 80, colour: false });
  expect(text).toContain("Clients  Server        Send throughput  Receive throughput  Combined throughput\n");
});
