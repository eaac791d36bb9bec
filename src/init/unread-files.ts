/** Files that name versions, and that are not read. */
import type { ProjectFiles } from "./project.js";

const PDM =
  "pdm.lock is not read, so its versions are not used. `pdm export --prod -o requirements.txt` writes a file that is.";
const PIPENV = "Pipfile and Pipfile.lock are not read. `pipenv requirements > requirements.txt` writes a file that is.";

/** uv keeps one lock for all members of a workspace, at its top. */
export const WORKSPACE_LOCK =
  "uv.lock of the workspace is not read, so its versions are not used. `uv export --no-dev --no-emit-project -o requirements.txt` in the app's project writes a file that is.";

/** @returns a sentence for each: why, and what to do */
export function unreadFiles(files: ProjectFiles): string[] {
  return [
    ...(files.has("pdm.lock") ? [PDM] : []),
    ...(files.has("Pipfile") || files.has("Pipfile.lock") ? [PIPENV] : []),
  ];
}
