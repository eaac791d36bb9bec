/** `command: report` in this process, on a double of GitHub, with waits that a test can afford. */
import { openActionContext } from "../../src/actions/context.js";
import { readInputs } from "../../src/actions/inputs.js";
import { reportAction } from "../../src/actions/report.js";
import { quickClient } from "./github/client.js";
import type { GitHubDouble } from "./github/double.js";
import { ROOT } from "./own-set.js";

type Texts = Readonly<Record<string, string>>;

/** @param cwd the job's workspace @param env of the job */
export async function reportOn(github: GitHubDouble, cwd: string, env: Texts, inputs: Texts = {}) {
  let log = "";
  const stream = { write: (text: string) => (log += text) };
  const given: Texts = { command: "report", token: github.token, comment: "true", ...inputs };
  const action = await openActionContext(
    readInputs((name) => given[name] ?? "", cwd),
    { root: ROOT, cwd, env, stdout: stream, stderr: stream },
  );
  return { ...(await reportAction({ ...action, github: quickClient(github) })), log };
}
