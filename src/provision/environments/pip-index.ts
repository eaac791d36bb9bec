/** Gives uv the package indexes that the machine's pip is configured for by variables. */
import { existsSync } from "node:fs";

/** pip's variable -> uv's, where both take the same value. */
const SAME_VALUE = [
  ["PIP_INDEX_URL", "UV_DEFAULT_INDEX"],
  ["PIP_EXTRA_INDEX_URL", "UV_INDEX"],
  ["PIP_NO_INDEX", "UV_NO_INDEX"],
  ["PIP_TRUSTED_HOST", "UV_INSECURE_HOST"],
  ["PIP_CERT", "SSL_CERT_FILE"],
] as const;
/** uv's older names of the same settings: where one of them is set, uv knows already. */
const OLDER_NAMES: Readonly<Record<string, string>> = {
  UV_DEFAULT_INDEX: "UV_INDEX_URL",
  UV_INDEX: "UV_EXTRA_INDEX_URL",
};

/** Variables for uv; those that are set for uv itself stay as they are. */
export function uvIndexVariables(env: NodeJS.ProcessEnv): Record<string, string> {
  const variables: Record<string, string> = {};
  for (const [pip, uv] of SAME_VALUE) {
    const value = env[pip];
    if (value && !env[uv] && !env[OLDER_NAMES[uv] ?? ""]) variables[uv] = value;
  }
  if (env.PIP_FIND_LINKS && !env.UV_FIND_LINKS) {
    // pip separates by spaces and passes over a missing folder; uv separates by commas and fails.
    const places = env.PIP_FIND_LINKS.split(/\s+/).filter((place) => /^\w+:/.test(place) || existsSync(place));
    if (places.length > 0) variables.UV_FIND_LINKS = places.join(",");
  }
  return variables;
}
