/** What was expected of the answers to a row's requests, and how they were checked. */
import * as v from "valibot";
import { count, line } from "./fields.js";

export const answer = v.object({
  /** Name of the request in servers.yml. */
  request: line,
  /** How often it was drawn, of a row with several requests. */
  weight: v.optional(count),
  status: count,
  /** Bytes of a right body, or the least and the most; absent where sizes are not checked. */
  size: v.optional(v.union([count, v.tuple([count, count])])),
  /** Media type. */
  type: v.optional(line),
  /**
   * What else a right body is. Status and `size` are checked of every answer under load; `exact`, `json` and `regex` on
   * single answers before and after it. `none`: bodies are not checked.
   */
  checked: v.picklist(["exact", "size", "json", "regex", "none"]),
  /** Nothing was given: this is what the side answered first. */
  learned: v.optional(v.literal(true)),
  /** Start of the SHA-256 of a learned body, where all answers had the same bytes. */
  digest: v.optional(line),
});
export type ExpectedAnswer = v.InferOutput<typeof answer>;
