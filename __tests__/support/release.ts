/** What release notes are made of. */
import type { NotesFacts } from "../../src/report/release/notes.js";
import type { Results } from "../../src/results/schema.js";
import { notCompared, sampleFacts } from "./comment.js";
import { SHA } from "./hostile.js";
import { failed } from "./results.js";

export const TAG = "v1.3.0";
export const PREVIOUS = "v1.2.0";
export const TAG_SHA = "a1b2c3d4e5f60718293a4b5c6d7e8f9012345678";

/** A release that was compared with the one before it. */
export function notesFacts(change: Partial<NotesFacts> = {}): NotesFacts {
  const { results, ...sample } = sampleFacts();
  const { comparison, run } = results;
  return {
    ...sample,
    results: {
      ...results,
      run: { ...run, git: { sha: TAG_SHA } },
      ...(comparison && { comparison: { ...comparison, base: { ref: PREVIOUS, sha: SHA } } }),
    },
    release: { tag: TAG, previous: PREVIOUS },
    pageUrl: "https://octo.github.io/app/v1.3.0/",
    ...change,
  };
}

/** The first release of a repository. */
export function firstFacts(): NotesFacts {
  const facts = notesFacts({ release: { tag: TAG, previous: undefined } });
  const { comparison: _, ...results } = facts.results;
  const nothingToCompare = { kind: "base" as const, reason: `${TAG} is the first release.` };
  return { ...facts, results: { ...results, run: { ...results.run, nothingToCompare } } };
}

/** The same release where no row has two sides that work. */
export function failedIn(side: "base" | "head", { comparison, cases, ...results }: Results): Results {
  const isRight = ({ side: of, state }: Results["cases"][number]) => of !== side && state === "completed";
  return {
    ...results,
    cases: side === "head" ? [failed("interfaces/rsgi-bytes", "RSGI bytes", 256)] : cases.filter(isRight),
    ...(comparison && {
      comparison: {
        mode: comparison.mode,
        base: comparison.base,
        rows: [],
        notCompared: [notCompared("interfaces/rsgi-bytes", `failed-in-${side}`, "boom")],
      },
    }),
  };
}
