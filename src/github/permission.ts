/** Who may ask for a measurement. */
import * as v from "valibot";
import { readAnswer } from "./answer.js";
import { type GitHub, toFailure } from "./client.js";

/** GitHub maps `maintain` to write and `triage` to read. */
const MAY_WRITE: readonly string[] = ["admin", "write"];

const schema = v.object({ permission: v.string(), user: v.nullable(v.object({ id: v.number() })) });

/**
 * Whether the account can write to the repository now. One request. A comment's `author_association` is not enough: members of
 * the organisation may be unable to write.
 * @throws what `toFailure` puts into words
 */
export async function canWrite(
  { octokit, owner, repo }: GitHub,
  account: { readonly id: number; readonly login: string },
): Promise<boolean> {
  try {
    const { data } = await octokit.rest.repos.getCollaboratorPermissionLevel({ owner, repo, username: account.login });
    const { permission, user } = readAnswer(schema, data, "the permission of who asks");
    // A login can change hands; an id cannot.
    return MAY_WRITE.includes(permission) && user?.id === account.id;
  } catch (error) {
    if (toFailure(error).kind === "not-found") return false;
    throw error;
  }
}
