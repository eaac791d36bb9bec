/** What an environment holds. */
import * as v from "valibot";
import { messageOf, SetupError } from "../../errors.js";
import type { UvRun } from "./uv-run.js";

const listSchema = v.array(v.object({ name: v.string(), version: v.string() }));
export type InstalledPackages = v.InferOutput<typeof listSchema>;

/** @throws SetupError for an answer that is none */
export async function listPackages({ uv, interpreter, target }: UvRun): Promise<InstalledPackages> {
  const args = ["pip", "list", "--format", "json", "--python", interpreter];
  const listing = await uv({ step: "listing", args });
  try {
    return v.parse(listSchema, JSON.parse(listing));
  } catch (error) {
    throw new SetupError(
      `${target.step}: uv pip list gave an unexpected answer: ${messageOf(error)}`,
      listing.slice(0, 2000),
    );
  }
}
