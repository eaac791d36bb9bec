/** The quick check against valibot, which it stands for: what it accepts, valibot accepts unchanged. */
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { checkResults } from "../../src/results/check.js";
import { fastValidator } from "../../src/results/fast-validate.js";
import { type Results, resultsFile } from "../../src/results/schema.js";
import { seeded } from "../support/noise.js";
import { sampleResults } from "../support/results.js";
import { pairedShard } from "../support/shards.js";

const fits = fastValidator(resultsFile);
const samples: readonly Results[] = [sampleResults(), pairedShard(1, 2, ["interfaces/a", "interfaces/b"])];

type Container = Record<string, unknown> | unknown[];

function copy(value: unknown): Container {
  return JSON.parse(JSON.stringify(value)) as Container;
}

/** Every object and array of a value. */
function containers(value: unknown): Container[] {
  if (typeof value !== "object" || value === null) return [];
  return [value as Container, ...Object.values(value).flatMap(containers)];
}

const VALUES: readonly unknown[] = [
  ...[null, true, false, "", "text", "2025-01-30T02:28:11Z", "x".repeat(20_001), "completed", "base", "better"],
  ...[
    0,
    -1,
    1.5,
    Number.POSITIVE_INFINITY,
    -0,
    300,
    Number.NaN,
    [],
    {},
    [[]],
    [1, 2],
    [1, 2, 3],
    { a: 1 },
    { total: 1, byKind: {} },
  ],
];
const NAMES: readonly string[] = ["extra", "toString", "constructor", "hasOwnProperty", "x".repeat(201), ""];

function mutate(root: Container, random: () => number): void {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const at = pick(containers(root));
  const key = pick(Object.keys(at).length > 0 ? Object.keys(at) : ["0"]);
  const kind = random();
  if (kind < 0.6) Reflect.set(at, key, structuredClone(pick(VALUES)));
  // JSON knows no names in arrays.
  else if (kind < 0.8 || Array.isArray(at)) Reflect.deleteProperty(at, key);
  else
    Object.defineProperty(at, pick([...NAMES, "__proto__"]), {
      value: pick(VALUES),
      enumerable: true,
      configurable: true,
    });
}

describe("fastValidator", () => {
  it("says yes to what a run writes: the quick way is taken", () => {
    for (const sample of samples) expect(fits(copy(sample))).toBe(true);
  });

  it("accepts nothing that valibot refuses or changes, in thousands of broken files", () => {
    const random = seeded(11);
    let [accepted, refused] = [0, 0];
    for (let round = 0; round < 6000; round += 1) {
      const broken = copy(samples[round % samples.length]);
      mutate(broken, random);
      if (!fits(broken)) {
        refused += 1;
        continue;
      }
      accepted += 1;
      const parsed = v.safeParse(resultsFile, broken);
      expect(parsed.issues, parsed.issues?.[0]?.message).toBeUndefined();
      expect(parsed.output).toEqual(broken);
    }
    expect(Math.min(accepted, refused)).toBeGreaterThan(500);
  });

  it("refuses inherited names and numbers that no double holds, as the slow check does", () => {
    for (const text of ['{"toString": 1}', '{"a": 1e999}', '{"__proto__": 1}']) {
      const broken = copy(samples[0]) as { cases: { knobs: unknown }[] };
      const [first] = broken.cases;
      if (first) first.knobs = JSON.parse(text);
      expect(fits(broken), text).toBe(false);
      expect(checkResults(broken), text).toMatchObject({ state: "invalid" });
    }
  });

  it("checks every part of a pipe: a schema in front that is a pipe itself, and a schema behind actions", () => {
    const short = v.pipe(v.string(), v.maxLength(3));
    const letters = fastValidator(v.pipe(short, v.regex(/^a*$/)));
    expect(["aa", "aaaa", "b", 1].map(letters)).toEqual([true, false, false, false]);
    const names = fastValidator(v.pipe(v.array(v.unknown()), v.maxLength(2), v.array(short)));
    expect([["a"], ["a", "b", "c"], ["abcd"], [1], {}].map(names)).toEqual([true, false, false, false, false]);
    const few = fastValidator(v.pipe(v.record(short, v.number()), v.maxEntries(1)));
    expect([{ a: 1 }, { a: 1, b: 2 }, { long: 1 }, { a: "1" }, []].map(few)).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
  });

  it.each([
    ["at least", v.pipe(v.number(), v.minValue(2)), [2, 1, "2"]],
    ["at most", v.pipe(v.number(), v.maxValue(2)), [2, 3, "1"]],
    ["long enough", v.pipe(v.string(), v.minLength(2)), ["aa", "a", 2]],
    ["short enough", v.pipe(v.array(v.number()), v.maxLength(1)), [[1], [1, 2], "a"]],
    ["with few entries", v.pipe(v.record(v.string(), v.number()), v.maxEntries(1)), [{ a: 1 }, { a: 1, b: 2 }, []]],
    ["of two items", v.tuple([v.number(), v.string()]), [[1, "a"], [1], [1, "a", 2]]],
    ["null, or a text", v.nullable(v.string()), [null, undefined, 1]],
    ["absent, or a text", v.optional(v.string()), [undefined, null, 1]],
    [
      "checked",
      v.pipe(
        v.number(),
        v.check((value) => value > 1),
      ),
      [2, 1, "2"],
    ],
    ["one of two", v.union([v.string(), v.boolean()]), [true, 1, null]],
    ["without holes", v.array(v.number()), [[1], new Array(1), {}]],
  ])("accepts what is %s, and nothing beyond", (_name, schema, [right, ...wrong]) => {
    const accepts = fastValidator(schema as v.GenericSchema);
    expect(accepts(right)).toBe(true);
    for (const value of wrong) expect(accepts(value), JSON.stringify(value)).toBe(false);
  });

  it("leaves to valibot what it does not know", () => {
    const schema = v.strictObject({ when: v.pipe(v.string(), v.email()), other: v.optional(v.set(v.string())) });
    expect(fastValidator(schema)({ when: "a@example.org" })).toBe(false);
    expect(fastValidator(v.date())(new Date())).toBe(false);
  });
});
