import { join } from "node:path";
import stringWidth from "string-width";
import { describe, expect, it } from "vitest";
import { progressLine, rowLine } from "../../../src/report/terminal/progress.js";
import { renderTerminal } from "../../../src/report/terminal/terminal.js";
import type { MetricColumn } from "../../../src/results/metric-columns.js";
import { completed, failed, interfacesSet, resultsOf, sampleResults } from "../../support/results.js";

const paths = { page: "out/index.html", report: "out/report.md", results: "out/results.json" };

describe("renderTerminal", () => {
  it.each([120, 80, 50])("writes the sample at %i columns as its golden file", async (columns) => {
    const text = renderTerminal(sampleResults(), { columns, colour: false, paths });
    await expect(text).toMatchFileSnapshot(join(import.meta.dirname, `terminal-${columns}.golden.txt`));
  });

  it.each([20, 33, 50, 66, 80, 200])("fits %i columns, wide characters included", (columns) => {
    const results = resultsOf([
      completed("interfaces/a", "日本語のとても長い題名 ".repeat(4), 64, 1000, { summary: { clientBound: true } }),
      failed("interfaces/b", "B", 64, { reason: "x".repeat(300), log: `${"y".repeat(300)}\n  z` }),
    ]);
    const lines = renderTerminal(results, { columns, colour: true }).trimEnd().split("\n");
    // The last line holds paths, which must stay whole.
    for (const line of lines.slice(0, -1)) expect(stringWidth(line)).toBeLessThanOrEqual(columns);
  });

  it("leaves out columns before titles that differ look alike", () => {
    const cases = [50, 200].map((threads) =>
      completed(`interfaces/${threads}`, `Flask + uwsgi, 1 process x ${threads} threads`, 4, 1000),
    );
    const columns: MetricColumn[] = ["rps", "mean-ms", "p50", "p60", "p70", "p80", "p90", "p100"];
    const results = resultsOf(cases, { sets: [{ ...interfacesSet, columns }] });
    const text = renderTerminal(results, { columns: 80, colour: false });
    expect(text).toMatch(/^Flask \+ uwsgi, 1 process x 5/m);
    expect(text).toMatch(/^Flask \+ uwsgi, 1 process x 2/m);
  });

  it("shows the log of base, whose rows are in no table", () => {
    const log = "Traceback\ndjango.db.utils.OperationalError: no such table: polls";
    const results = resultsOf([failed("interfaces/a", "A", 64, { side: "base", reason: "got status 500", log })]);
    const text = renderTerminal(results, { columns: 80, colour: false });
    expect(text).toContain("Log of base: got status 500\n    | Traceback\n    | django.db.utils.OperationalError");
  });

  it("is coloured only when asked", () => {
    const text = (colour: boolean) => renderTerminal(sampleResults(), { columns: 80, colour });
    expect(text(false)).not.toContain("\u001b");
    const styled = new RegExp(`${"\u001b"}\\[(1|2|22)m`, "g");
    expect(text(true).replace(styled, "")).toBe(text(false));
    expect(text(true)).not.toBe(text(false));
  });

  it("counts the rows that could not be counted", () => {
    const missing = { state: "not-measured", reason: "no Valgrind" } as const;
    const row = (id: string) => ({ id, title: id, connections: 16, instructions: missing });
    const results = resultsOf([], { furtherMetrics: [row("interfaces/a"), row("interfaces/b")] });
    expect(renderTerminal(results, { columns: 200, colour: false })).toContain(
      "2 benchmarks: 0 with instructions or memory measured, 2 without in",
    );
  });

  it("lets no terminal code of a server through", () => {
    const cases = [
      failed("interfaces/a", "A\u001b[2J", 64, { reason: "gone\u001b]0;owned\u0007", log: "\u001b[31mred\r" }),
    ];
    expect(renderTerminal(resultsOf(cases), { columns: 80, colour: false })).not.toContain("\u001b");
  });

  it("counts rows, not cases, and names the files", () => {
    const cases = [
      completed("interfaces/a", "A", 64, 1000),
      completed("interfaces/a", "A", 128, 1000),
      failed("interfaces/b", "B", 64),
    ];
    expect(renderTerminal(resultsOf(cases), { columns: 80, colour: false, paths }).trimEnd().split("\n").at(-1)).toBe(
      "2 benchmarks: 1 completed, 1 failed, 0 skipped in 4 min 51 s; out/index.html, out/report.md, out/results.json",
    );
  });
});

describe("progressLine", () => {
  const state = {
    row: 3,
    rows: 18,
    title: "ASGI echo",
    connections: 256,
    phase: "measuring",
    phaseSec: 6.9,
    columns: 80,
  };

  it("says where the run is", () => {
    expect(progressLine({ ...state, remainingSec: 130 })).toBe(
      "benchmark 3 of 18  ASGI echo (c256)  measuring 6s  ~2 min left",
    );
    expect(progressLine({ ...state, remainingSec: 41 })).toMatch(/~50 s left$/);
    const { connections: _, ...idle } = state;
    expect(progressLine({ ...idle, phase: "starting", phaseSec: 0 })).toBe("benchmark 3 of 18  ASGI echo  starting 0s");
  });

  it("cuts the title first, and never fills the last column", () => {
    const long = { ...state, title: "a title of many words ".repeat(5), remainingSec: 130 };
    for (const columns of [0, 1, 10, 30, 45, 60, 80]) {
      expect(stringWidth(progressLine({ ...long, columns }))).toBeLessThanOrEqual(Math.max(0, columns - 1));
    }
    expect(progressLine({ ...long, columns: 60 })).toMatch(
      /^benchmark 3 of 18 {2}a title.*\.\.\. {2}measuring 6s {2}~2 min left$/,
    );
  });
});

describe("rowLine", () => {
  it("is one line for each state", () => {
    const bound = { summary: { clientBound: true } };
    const [, , , , , skipped] = sampleResults().cases;
    expect(rowLine(completed("interfaces/rsgi-bytes", "RSGI bytes", 256, 90119.4, bound))).toBe(
      "ok   interfaces/rsgi-bytes (c256)  90119 req/s  2.841ms avg  0 failures  client-bound",
    );
    expect(rowLine({ ...completed("interfaces/rsgi-bytes", "RSGI bytes", 64, 12750), disturbed: true })).toMatch(
      / 12750 req\/s .* 0 failures {2}disturbed$/,
    );
    expect(rowLine(failed("interfaces/a", "A", 64, { side: "base", reason: "it\nbroke" }))).toBe(
      "FAIL interfaces/a (c64) [base]: it broke",
    );
    expect(skipped && rowLine(skipped)).toBe("skip interfaces/rsgi-314 (c256): no Python 3.14 on this machine");
  });

  it("holds no command for the runner", () => {
    const line = rowLine(failed("interfaces/a", "A", 64, { reason: "\n::error::x ##[add-path]/tmp" }));
    expect(line).not.toMatch(/##\[|\n/);
    expect(line).toMatch(/^FAIL /);
  });
});
