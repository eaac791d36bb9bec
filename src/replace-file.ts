/** Writes a file of the results. Readers find a whole one at any time, and nothing is written through links. */
import { randomUUID } from "node:crypto";
import { rmSync } from "node:fs";
import { lstat, open, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf, SetupError } from "./errors.js";
import { machineFault } from "./messages/machine-fault.js";

interface ReplaceOptions {
  /** On the disk when this returns. */
  readonly durable?: boolean;
}

/**
 * A sibling is written and renamed over the file: a link in its place is replaced, and what that leads to stays as it is. A pull request
 * can hold one, and an installation can make one while the run goes on. The folder must exist.
 * @throws SetupError when the disk refuses, or the folder is a link; the earlier file stays
 */
export async function replaceFile(
  file: string,
  content: string | Uint8Array | Iterable<string>,
  { durable = false }: ReplaceOptions = {},
): Promise<void> {
  // In the same folder, because a rename is atomic within one file system only.
  const sibling = join(dirname(file), `${unfinishedPrefix(file)}${process.pid}-${randomUUID()}.tmp`);
  using _ = removedBySignals(sibling);
  try {
    await refuseLink(dirname(file));
    const handle = await open(sibling, "wx");
    try {
      await handle.writeFile(content);
      if (durable) await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(sibling, file);
  } catch (error) {
    await rm(sibling, { force: true }).catch(() => undefined);
    const why = machineFault(error)?.message ?? `${messageOf(error)}: check that its folder exists and is writable`;
    throw new SetupError(`cannot write ${file}: ${why}`);
  }
}

/** How the names of siblings begin. */
export function unfinishedPrefix(file: string): string {
  return `.${basename(file)}.`;
}

async function refuseLink(folder: string): Promise<void> {
  if ((await lstat(folder)).isSymbolicLink())
    throw new Error(`${folder} is a link, and nothing is written through links`);
}

const ENDING = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Until it is disposed of, a signal that ends this process removes the file first. Who listens for the signal decides otherwise. */
function removedBySignals(path: string): Disposable {
  const onSignal = (signal: NodeJS.Signals): void => {
    if (process.listenerCount(signal) > 0) return;
    rmSync(path, { force: true });
    process.kill(process.pid, signal);
  };
  for (const signal of ENDING) process.once(signal, onSignal);
  return {
    [Symbol.dispose]: () => {
      for (const signal of ENDING) process.off(signal, onSignal);
    },
  };
}
