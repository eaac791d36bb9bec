/** Results that were measured before, as a release's claim: of its commit, in pairs with the previous release. */
import { InputError } from "../../errors.js";
import { missingShards } from "../../merge/missing-shards.js";
import { plural } from "../../messages/sentence.js";
import type { Release } from "../../report/release/notes.js";
import type { Results } from "../../results/schema.js";

interface ExpectedRelease {
  readonly tag: string;
  readonly sha: string;
  /** Undefined: what the results were compared with. */
  readonly previous: ExpectedPrevious | undefined;
}

type ExpectedPrevious =
  | { readonly kind: "found"; readonly tag: string; readonly sha: string }
  | { readonly kind: "first" };

/** @param source for messages @throws InputError where they are of another commit, base or kind of comparison, or not whole */
export function checkReleaseResults(results: Results, expected: ExpectedRelease, source: string): Release {
  const { run, comparison } = results;
  const { tag, sha } = expected;
  if (run.finishedAt === null) throw new InputError(`${source}: its run did not finish: measure ${tag} again`);
  checkShards(results, tag, source);
  if (run.git?.sha !== sha)
    throw new InputError(
      `${source}: was measured at ${run.git?.sha ?? "an unknown commit"}, not at ${tag} (${sha}): measure ${tag}`,
    );
  if (run.git.uncommitted)
    throw new InputError(`${source}: was measured with uncommitted changes, so that it is not ${tag}`);
  // Its run says why nothing was compared.
  if (!comparison) return { tag, previous: undefined };
  if (comparison.mode !== "paired")
    throw new InputError(
      `${source}: is compared with stored results; a release is compared in pairs, measured in one run: run release without --results`,
    );
  return { tag, previous: previousOf(comparison.base, expected.previous, source) };
}

/** Notes of some of the shards would look like those of the whole release. */
function checkShards(results: Results, tag: string, source: string): void {
  const [first, ...others] = results.run.missing ?? missingShards([results]);
  if (!first) return;
  const more = others.length > 0 ? ` (and ${plural(others.length, "shard")} more)` : "";
  const reason = first.reason.replace(/\.+$/, "");
  throw new InputError(`${source}: lacks the shard ${first.shard}: ${reason}${more}: measure ${tag} again`);
}

function previousOf(
  base: Readonly<Record<string, string>>,
  expected: ExpectedPrevious | undefined,
  source: string,
): string {
  const { sha, ref, folder } = base;
  const name = ref ?? sha ?? folder ?? "unknown";
  if (expected === undefined) return name;
  if (expected.kind === "found" && sha === expected.sha) return expected.tag;
  const wanted =
    expected.kind === "found" ? `${expected.tag} (${expected.sha})` : "nothing, because it is the first release";
  throw new InputError(
    `${source}: is compared with ${name}${sha === undefined ? "" : ` (${sha})`}, not with ${wanted}`,
  );
}
