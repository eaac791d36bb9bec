/** What the artifacts of a step are called. */
import { type ArtifactNames, PLAN_ARTIFACT, REQUEST_ARTIFACT, RESULTS_ARTIFACT } from "../github/artifacts.js";
import { DEFAULT_KEY } from "../github/comment-marker.js";
import type { ActionInputs } from "./inputs.js";

export function artifactNames({ request, comment }: Pick<ActionInputs, "request" | "comment">): ArtifactNames {
  return request ? { results: REQUEST_ARTIFACT, plan: PLAN_ARTIFACT } : namesWithKey(comment.key);
}

/** What base runs of the same benchmark stored. Those that a request started store under another name. */
export function storedResultsName({ comment }: Pick<ActionInputs, "comment">): string {
  return namesWithKey(comment.key).results;
}

/** A key has no underscore and stands before the last word, so a number behind a name is never a part of the key. */
function namesWithKey(key: string): ArtifactNames {
  if (key === DEFAULT_KEY) return { results: RESULTS_ARTIFACT, plan: PLAN_ARTIFACT };
  return { results: `server-bench_${key}_results`, plan: `server-bench_${key}_plan` };
}
