/** All targets, by name. */
import type { Target } from "./target.js";
import { answerTargets } from "./targets/answers.js";
import { archiveTargets } from "./targets/archives.js";
import { eventTargets } from "./targets/events.js";
import { fileTargets } from "./targets/files.js";
import { generatorTargets } from "./targets/generators.js";
import { reportTargets } from "./targets/reports.js";
import { resultsTargets } from "./targets/results.js";
import { textTargets } from "./targets/texts.js";

export const TARGETS: readonly Target[] = [
  ...resultsTargets,
  ...generatorTargets,
  ...archiveTargets,
  ...answerTargets,
  ...eventTargets,
  ...fileTargets,
  ...textTargets,
  ...reportTargets,
];
