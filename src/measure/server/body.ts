/** The bytes that a plan describes. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Body } from "../../plan/types.js";
import { encodeMessage } from "./protobuf.js";

/** @param filesDir where the project's own files are made; @throws Error naming the file that is missing */
export async function bodyBytes(body: Body, filesDir: string): Promise<Buffer> {
  switch (body.kind) {
    case "text":
      return Buffer.from(body.text);
    case "repeat":
      return Buffer.from(body.character.repeat(body.sizeBytes)).subarray(0, body.sizeBytes);
    case "message":
      return encodeMessage(body.fields);
    case "file":
      try {
        return await readFile(join(filesDir, body.name));
      } catch (cause) {
        throw new Error(`cannot read the body ${body.name} in ${filesDir}`, { cause });
      }
  }
}
