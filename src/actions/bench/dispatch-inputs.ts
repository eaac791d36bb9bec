/** The inputs of `command: dispatch`. */
import { InputError } from "../../errors.js";
import type { InputName } from "../../options/inputs.js";

export interface DispatchInputs {
  /** File of the workflow that measures. */
  readonly workflow: string;
  /** Logins in lower case, besides those who can write. */
  readonly allowed: readonly string[];
  /** The label that requests a measurement; undefined: none does. */
  readonly label: string | undefined;
  readonly replace: boolean;
}

const SECOND_REQUEST = ["queue", "replace"];

/** @throws InputError naming the input */
export function dispatchInputs(input: (name: InputName) => string): DispatchInputs {
  const workflow = input("workflow");
  if (!/^[\w.-]+\.ya?ml$/.test(workflow))
    throw new InputError(`invalid workflow "${workflow}": give the name of a file in .github/workflows`);
  const second = input("second-request");
  if (!SECOND_REQUEST.includes(second))
    throw new InputError(`invalid second-request "${second}": use ${SECOND_REQUEST.join(", ")}`);
  const allowed = input("allowed-users")
    .split(/[,\s]+/)
    .filter((login) => login !== "");
  for (const login of allowed)
    if (!/^[\w-]+$/.test(login)) throw new InputError(`invalid allowed-users "${login}": give logins of people`);
  return {
    workflow,
    allowed: allowed.map((login) => login.toLowerCase()),
    label: input("label") || undefined,
    replace: second === "replace",
  };
}
