/** `command: report` in this process, on a double of GitHub. */
import { reportAction } from "../../src/actions/report.js";
import { openAction } from "./action.js";
import type { GitHubDouble } from "./github/double.js";

type Texts = Readonly<Record<string, string>>;

/** @param cwd the job's workspace @param env of the job */
export async function reportOn(github: GitHubDouble, cwd: string, env: Texts, inputs: Texts = {}) {
  const given = { command: "report", token: github.token, comment: "true", ...inputs };
  const { action, log } = await openAction(github, cwd, env, given);
  return { ...(await reportAction(action)), log: log() };
}
