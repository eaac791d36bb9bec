import { describe, expect, it } from "vitest";
import { matchSides } from "../../src/compare/sides.js";
import type { PlannedRow } from "../../src/plan/types.js";
import { faultyRow } from "../support/measure.js";

function row(id: string, change: Partial<PlannedRow> = {}): PlannedRow {
  return { ...faultyRow("ok"), id, title: id, ...change };
}

describe("matchSides", () => {
  it("matches by id and lists the others uncompared, with the reason", () => {
    const { pairs, alone, uncompared } = matchSides(
      [row("s/same"), row("s/gone"), row("s/other", { connections: [8] }), row("s/wider", { connections: [64, 32] })],
      [
        row("s/same"),
        row("s/fresh"),
        row("s/other", { connections: [16] }),
        row("s/wider", { connections: [16, 32, 64] }),
      ],
    );
    expect(pairs.map(({ head, connections }) => [head.id, connections])).toEqual([
      ["s/same", 8],
      // Of several, the first one that both have.
      ["s/wider", 32],
    ]);
    expect(alone.map(({ id }) => id)).toEqual(["s/fresh", "s/other"]);
    expect(uncompared).toEqual([
      { kind: "new", id: "s/fresh", connections: 8, title: "s/fresh" },
      { kind: "not-comparable", id: "s/other", connections: 16, title: "s/other", reason: "it differs in connections" },
      { kind: "removed", id: "s/gone", connections: 8, title: "s/gone" },
    ]);
  });

  it("compares servers of other packages and commands: that is what changed", () => {
    const base = row("s/a");
    const environment = { ...base.environment, requires: ["granian==2.7.0"] };
    expect(matchSides([base], [row("s/a", { environment })]).pairs).toHaveLength(1);
  });

  it("compares rows whose answers differ, also where the scenario file expects it", () => {
    const base = row("s/a");
    const expected = { status: 201, body: { kind: "any" } } as const;
    expect(matchSides([base], [row("s/a", { request: { ...base.request, expect: expected } })]).pairs).toHaveLength(1);
  });

  it.each([
    [{ ratePerSec: 5 }, "rate"],
    [{ closes: true }, "keep-alive"],
    [{ tls: true }, "TLS"],
    [{ request: { ...row("s/a").request, path: "/other" } }, "request"],
  ] as const)("does not compare rows with another load: %j", (change, what) => {
    const [uncompared] = matchSides([row("s/a")], [row("s/a", change)]).uncompared;
    expect(uncompared).toMatchObject({ kind: "not-comparable", reason: `it differs in ${what}` });
  });
});
