/** GitHub's API fails, refuses, is cut off or slow. */
import { setTimeout as sleep } from "node:timers/promises";
import type { Fault as ApiFault } from "../../support/github/double.js";
import type { Fault } from "../fault.js";

const SOME: Readonly<Record<string, Omit<ApiFault, "path">>> = {
  "answers 500": { status: 500 },
  "answers 502 after it did the work": { dropAfterApplying: true },
  "answers 429": { status: 429, headers: { "retry-after": "1" } },
  "cuts connections": { reset: true },
  "cuts connections after it did the work": { reset: true, dropAfterApplying: true },
  "answers half": { status: 200, body: '{"id": 1, "body": "' },
};

export const GITHUB_FAULTS: readonly Fault[] = [
  ...Object.entries(SOME).map(
    ([name, fault]): Fault => ({
      name: `GitHub ${name}`,
      kinds: ["action"],
      codes: [0],
      withinSec: 120,
      strike: ({ github }, _, random) => github?.fail({ ...fault, path: /./, times: random.between(1, 3) }),
    }),
  ),
  {
    name: "GitHub is slow",
    kinds: ["action"],
    codes: [0],
    withinSec: 120,
    strike: ({ github }, _, random) =>
      github?.before({ path: /./, times: 4 }, async () => void (await sleep(random.between(500, 4000)))),
  },
  {
    name: "GitHub fails for good",
    kinds: ["action"],
    codes: [0],
    commentStays: true,
    withinSec: 150,
    strike: ({ github }) => github?.fail({ path: /./, status: 500, times: Number.POSITIVE_INFINITY }),
  },
];
