/** The Python that an app is measured under: the machine's usual one, unless the project refuses it. */
import { InputError } from "../../errors.js";
import { acceptsPython } from "../../plan/python-requirement.js";
import type { Found } from "../../plan/text-places.js";
import { openContext, type ProvisionOptions } from "../../provision/context.js";
import { defaultPython } from "../../provision/environments/python.js";
import { findPythons } from "../../provision/environments/pythons.js";
import type { Display } from "../display.js";
import { foundLine } from "./words.js";

interface Asked {
  /** What the project's files say of the versions that it runs under. */
  readonly required: Found<string> | undefined;
  /** The version that they name for a machine. */
  readonly named: Found<string> | undefined;
}

/**
 * @returns a version for the app's entry; undefined where the usual Python fits
 * @throws InputError where no Python of the machine fits
 */
export async function choosePython(
  { required, named }: Asked,
  options: ProvisionOptions,
  display: Display,
): Promise<string | undefined> {
  if (required === undefined && named === undefined) return undefined;
  const usual = await defaultPython(await openContext(options));
  const accepts = (version: string) => required === undefined || acceptsPython(required.value, version);
  const isUsual = named === undefined || usual.version.startsWith(`${named.value}.`);
  if (isUsual && accepts(usual.version)) return undefined;
  const known = (await findPythons(options, [])).map(({ label }) => label).filter((label) => /^3\.\d+$/.test(label));
  known.sort((a, b) => minorOf(a) - minorOf(b));
  // The patch release is not known here. Where the project refuses it, the installation fails with both versions.
  const fitting = known.filter((label) => accepts(`${label}.99`));
  if (named !== undefined && fitting.includes(named.value)) {
    display.line(foundLine("python", `${named.value}: python3 is ${usual.version}`, named.at));
    return named.value;
  }
  if (named !== undefined && !known.includes(named.value))
    display.line(
      foundLine(
        "",
        `Python ${named.value} is not on this machine; \`uv python install ${named.value}\` adds it`,
        named.at,
      ),
    );
  if (required === undefined || accepts(usual.version)) return undefined;
  const [first] = fitting;
  if (first === undefined)
    throw new InputError(
      `${required.at}: the project runs under Python ${required.value}, and this machine has ${known.join(", ")}; \`uv python install\` adds one`,
    );
  const refused = `the project runs under ${required.value}, and python3 is ${usual.version}`;
  display.line(foundLine("python", `${first}: ${refused}`, required.at));
  return first;
}

function minorOf(label: string): number {
  return Number(label.split(".")[1]);
}
