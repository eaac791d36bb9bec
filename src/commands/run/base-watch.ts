/** Watches base's files while head's code runs: where they changed, nothing was compared with base. */

import { existsSync } from "node:fs";
import { dirname } from "node:path";
import type { RowPair } from "../../compare/sides.js";
import { isWithin } from "../../is-within.js";
import type { PairSides } from "../../measure/pairs/pair-servers.js";
import { nameSome } from "../../messages/sentence.js";
import type { PlannedRow } from "../../plan/types.js";
import { environmentKey } from "../../provision/environments/key.js";
import type { BaseFirst } from "../../provision/provision.js";
import { checkoutOf } from "../../provision/sides/git.js";
import { changedSince, type Snapshot, takeSnapshot, type WatchedFolder } from "../../provision/sides/snapshot.js";
import type { EnvironmentState, ReadyEnvironment } from "../../provision/types.js";
import { baseCheckout, type PairedPlan, pairsToMeasure } from "./base-plan.js";

/** Files that a message names. */
const NAMED = 3;

interface Meanwhile {
  readonly during: string;
  readonly rule: string;
}
const MEASURED: Meanwhile = {
  during: "rows were measured",
  rule: "An app must not write to files of its checkout.",
};
const INSTALLED: Meanwhile = {
  during: "head was installed",
  rule: "A build must not write to files outside of its checkout.",
};

/** What of a pair's sides says which folders base has. */
type WatchedSides = {
  readonly base: Pick<PairSides["base"], "row"> & { readonly ready: Pick<ReadyEnvironment, "binDir"> };
  readonly head: Pick<PairSides["head"], "row">;
};

export class BaseWatch {
  readonly #snapshots: readonly Snapshot[];

  private constructor(snapshots: readonly Snapshot[]) {
    this.#snapshots = snapshots;
  }

  /** @param others folders of base that no row names */
  static async begin(sides: readonly WatchedSides[], others: readonly WatchedFolder[] = []): Promise<BaseWatch> {
    const folders = new Map([...others, ...sides.flatMap(foldersOf)].map((folder) => [folder.path, folder]));
    return new BaseWatch(await Promise.all([...folders.values()].map(takeSnapshot)));
  }

  /** Why the pairs say nothing; undefined where base's files are as they were. @param meanwhile what happened, and what must not happen then */
  async problem({ during, rule }: Meanwhile = MEASURED): Promise<string | undefined> {
    const changes = (
      await Promise.all(
        this.#snapshots.map(async (snapshot) =>
          (await changedSince(snapshot)).map((change) => `${change} in base's ${snapshot.folder.kind}`),
        ),
      )
    ).flat();
    if (changes.length === 0) return undefined;
    return (
      `base's files changed while ${during} (${nameSome(changes, NAMED)}): ` +
      `the pairs do not compare head with base. ${rule}`
    );
  }
}

/** Base's environment, which head may share, and its checkout; not one that is head's too. */
function foldersOf({ base, head }: WatchedSides): WatchedFolder[] {
  const environment = { path: dirname(base.ready.binDir), kind: "environment" } as const;
  const [baseApp, headApp] = [base.row.server.cwd, head.row.server.cwd];
  if (baseApp === headApp) return [environment];
  const top = checkoutOf(baseApp) ?? baseApp;
  const path = isWithin(top, headApp) ? baseApp : top;
  return isWithin(path, headApp) ? [environment] : [environment, { path, kind: "checkout" }];
}

/** Installs base before head, and watches base's files while head's builds run. */
export class InstallWatch implements BaseFirst {
  readonly rows: readonly PlannedRow[];
  readonly headRows: readonly PlannedRow[];
  readonly #pairs: readonly RowPair[];
  readonly #checkout: string;
  /** Why the pairs say nothing; undefined where base's files are as they were. */
  problem: string | undefined;

  /** @param tempDir of the run, in which a commit is checked out */
  constructor(plan: PairedPlan, tempDir: string) {
    this.#pairs = pairsToMeasure(plan);
    this.rows = this.#pairs.map(({ base }) => base);
    this.headRows = [...this.#pairs.map(({ head }) => head), ...plan.alone, ...plan.identical];
    this.#checkout = baseCheckout(tempDir);
  }

  async buildHead(environments: ReadonlyMap<string, EnvironmentState>, build: () => Promise<void>): Promise<void> {
    const sides = this.#pairs.flatMap(({ base, head }) => {
      const ready = environments.get(environmentKey(base.environment));
      return ready?.state === "ready" ? [{ base: { row: base, ready }, head: { row: head } }] : [];
    });
    // What base is built from, also if its rows serve an app of ours.
    const checkout = { path: this.#checkout, kind: "checkout" } as const;
    const watch = await BaseWatch.begin(sides, existsSync(this.#checkout) ? [checkout] : []);
    await build();
    this.problem = await watch.problem(INSTALLED);
  }
}
