/** The real client on the double, with waits that a test can afford. */
import { openGitHub } from "../../../src/github/client.js";
import type { GitHubDouble } from "./double.js";

export function quickClient({ owner, repo, url, token }: GitHubDouble) {
  return openGitHub({ owner, repo, apiUrl: url }, token, () => {}, { retryBaseMs: 1, paced: false });
}
