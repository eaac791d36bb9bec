/** Watches base's files while head's code runs: where they changed, nothing was compared with base. */

import { dirname } from "node:path";
import { isWithin } from "../../is-within.js";
import type { PairSides } from "../../measure/pairs/pair-servers.js";
import { nameSome } from "../../name-some.js";
import { checkoutOf } from "../../provision/sides/git.js";
import { changedSince, type Snapshot, takeSnapshot, type WatchedFolder } from "../../provision/sides/snapshot.js";

/** Files that a message names. */
const NAMED = 3;

export class BaseWatch {
  readonly #snapshots: readonly Snapshot[];

  private constructor(snapshots: readonly Snapshot[]) {
    this.#snapshots = snapshots;
  }

  static async begin(sides: readonly PairSides[]): Promise<BaseWatch> {
    const folders = new Map(sides.flatMap(foldersOf).map((folder) => [folder.path, folder]));
    return new BaseWatch(await Promise.all([...folders.values()].map(takeSnapshot)));
  }

  /** Why the pairs say nothing; undefined where base's files are as they were. */
  async problem(): Promise<string | undefined> {
    const changes = (
      await Promise.all(
        this.#snapshots.map(async (snapshot) =>
          (await changedSince(snapshot)).map((change) => `${change} in base's ${snapshot.folder.kind}`),
        ),
      )
    ).flat();
    if (changes.length === 0) return undefined;
    return (
      `base's files changed while rows were measured (${nameSome(changes, NAMED)}): ` +
      "the pairs do not compare head with base. An app must not write to files of its checkout."
    );
  }
}

/** Base's environment, which head may share, and its checkout; not one that is head's too. */
function foldersOf({ base, head }: PairSides): WatchedFolder[] {
  const environment = { path: dirname(base.ready.binDir), kind: "environment" } as const;
  const [baseApp, headApp] = [base.row.server.cwd, head.row.server.cwd];
  if (baseApp === headApp) return [environment];
  const top = checkoutOf(baseApp) ?? baseApp;
  const path = isWithin(top, headApp) ? baseApp : top;
  return isWithin(path, headApp) ? [environment] : [environment, { path, kind: "checkout" }];
}
