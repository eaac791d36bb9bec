/** The Python that an app is measured under: the machine's usual one, unless the project refuses it. */
import { InputError } from "../../errors.js";

import { acceptsPython } from "../../plan/python-requirement.js";
import type { Found } from "../../plan/text-places.js";
import { openContext, type ProvisionOptions } from "../../provision/context.js";
import { defaultPython } from "../../provision/environments/python.js";
import { findPythons } from "../../provision/environments/pythons.js";
import type { Display } from "../display.js";
import { foundLine } from "./words.js";

/**
 * @param required what the project's files say
 * @returns a version for the app's entry; undefined where the usual Python fits
 * @throws InputError where no Python of the machine fits
 */
export async function choosePython(
  required: Found<string> | undefined,
  options: ProvisionOptions,
  display: Display,
): Promise<string | undefined> {
  if (required === undefined) return undefined;
  const usual = await defaultPython(await openContext(options));
  if (acceptsPython(required.value, usual.version)) return undefined;
  const known = (await findPythons(options, [])).map(({ label }) => label).filter((label) => /^3\.\d+$/.test(label));
  known.sort((a, b) => minorOf(a) - minorOf(b));
  // The patch release is not known here. Where the project refuses it, the installation fails with both versions.
  const fitting = known.find((label) => acceptsPython(required.value, `${label}.99`));
  if (fitting === undefined)
    throw new InputError(
      `${required.at}: the project runs under Python ${required.value}, and this machine has ${known.join(", ")}; \`uv python install\` adds one`,
    );
  const refused = `the project runs under ${required.value}, and python3 is ${usual.version}`;
  display.line(foundLine("python", `${fitting}: ${refused}`, required.at));
  return fitting;
}

function minorOf(label: string): number {
  return Number(label.split(".")[1]);
}
