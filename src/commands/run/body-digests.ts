/** The files that requests send as bodies: each side has its own. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { BodyDigests } from "../../compare/sides.js";
import { requestsOf } from "../../plan/requests-of.js";
import type { PlannedRow } from "../../plan/types.js";

/** A file that cannot be read has no digest: its row fails when it is measured. */
export async function bodyDigests(rows: readonly PlannedRow[]): Promise<BodyDigests> {
  const paths = new Set(rows.flatMap(requestsOf).flatMap(({ request: { body } }) => filePath(body)));
  const digests = new Map<string, string>();
  for (const path of paths) {
    const content = await readFile(path).catch(() => undefined);
    if (content) digests.set(path, createHash("sha256").update(content).digest("hex"));
  }
  return digests;
}

function filePath(body: PlannedRow["request"]["body"]): string[] {
  return body?.kind === "file" && body.path !== undefined ? [body.path] : [];
}
