/** The bytes that a plan describes. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { codeOf, messageOf } from "../../errors.js";
import type { Body } from "../../plan/types.js";
import { encodeMessage } from "./protobuf.js";

/** A file that a row's requests need cannot be read: the row fails. */
export class BodyError extends Error {}

/**
 * @param filesDir where the project makes its files: a name that is no file of the user's stands for one of those
 * @throws BodyError naming the file that is missing
 */
export async function bodyBytes(body: Body, filesDir: string): Promise<Buffer> {
  switch (body.kind) {
    case "text":
      return Buffer.from(body.text);
    case "repeat":
      return Buffer.from(body.character.repeat(body.sizeBytes)).subarray(0, body.sizeBytes);
    case "message":
      return encodeMessage(body.fields);
    case "file":
      return await fileBytes(body, filesDir);
  }
}

async function fileBytes({ name, path }: Extract<Body, { kind: "file" }>, filesDir: string): Promise<Buffer> {
  const places = [...(path === undefined ? [] : [path]), join(filesDir, name)];
  for (const place of places) {
    try {
      return await readFile(place);
    } catch (error) {
      if (!isMissing(error)) throw new BodyError(`cannot read the body ${place}: ${messageOf(error)}`);
    }
  }
  throw new BodyError(`cannot read the body ${name}: there is no ${path ?? join(filesDir, name)}`);
}

function isMissing(error: unknown): boolean {
  return codeOf(error) === "ENOENT";
}
