/** Puts the Python itself before a shim of it (pyenv): a shim is a shell script, and takes six times the CPU time to start. */
import { delimiter, dirname, isAbsolute } from "node:path";
import { supervisingPython } from "../../src/process/interpreter.js";

/** Each project of vitest.config.ts calls it; the first call does it for all of them. */
export default async function setup(): Promise<void> {
  const { PATH = "", HOME = "" } = process.env;
  const python = await supervisingPython({ PATH, HOME });
  const folder = dirname(python);
  if (isAbsolute(python) && !PATH.split(delimiter).includes(folder)) process.env.PATH = `${folder}${delimiter}${PATH}`;
}
