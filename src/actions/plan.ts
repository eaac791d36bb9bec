/** `command: plan`: a balanced matrix as an output. The plan is also an artifact: the report reads the rows of a missing shard in it. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { planShards } from "../commands/plan.js";
import { InputError } from "../errors.js";
import { PLAN_FILE } from "../github/read-artifact.js";
import { uploadArtifact } from "../github/upload.js";
import { artifactNames } from "./artifact-names.js";
import { type ActionContext, withoutCommands } from "./context.js";
import { INPUT_NAMES } from "./inputs.js";
import type { Published } from "./publish.js";

export async function planAction({ inputs, context, job, log }: ActionContext): Promise<Published> {
  if (inputs.shards === undefined)
    throw new InputError("command: plan needs the input shards: how many jobs may measure");
  const { selectors, profile, scenarios, servers, python } = inputs.run;
  const options = {
    selectors,
    profile,
    servers,
    shards: inputs.shards,
    names: INPUT_NAMES,
    ...(scenarios === undefined ? {} : { scenarios }),
    ...(python === undefined ? {} : { python }),
    ...(inputs.cores === undefined ? {} : { cores: inputs.cores }),
  };
  const planned = await withoutCommands(context, async () => {
    const made = await planShards(options, context);
    context.stdout.write(`${made.text}\n`);
    return made;
  });
  if (job) {
    const folder = context.env.RUNNER_TEMP || context.cwd;
    await writeFile(join(folder, PLAN_FILE), `${JSON.stringify(planned.file)}\n`);
    const uploaded = await uploadArtifact(artifactNames(inputs).plan, [PLAN_FILE], folder, inputs.retentionDays);
    if (uploaded.state === "refused")
      log(`the plan was not uploaded (${uploaded.reason}): the report will name a missing shard by its number only`);
  }
  return { outputs: { matrix: JSON.stringify(planned.matrix) }, annotations: [], summary: `${planned.markdown}\n` };
}
