/** Whether both servers of a pair can have the same addresses in memory. */
import { STACK_MAX } from "../../measure/pairs/chance.js";
import { canFixAddresses } from "../../process/fixed-addresses.js";
import type { Check } from "./check.js";

export async function addressesCheck(env: NodeJS.ProcessEnv): Promise<Check> {
  return checkOf(await canFixAddresses(STACK_MAX, env));
}

function checkOf(same: boolean): Check {
  const common = { id: "addresses", title: "Memory addresses" };
  if (same)
    return {
      ...common,
      state: "good",
      found: "the same in both servers of a pair",
      means: "The places of code and data in memory make no difference between the sides.",
      todo: "",
    };
  return {
    ...common,
    state: "lacking",
    found: "drawn by the kernel for each server",
    means:
      "Where code and data lie in memory changes a server's speed: pairs scatter more, so benchmarks need more pairs.",
    todo: 'In a container allow the system call personality: docs/forks-and-runners.md, "Containers". Elsewhere raise the hard limit of the stack to 160 MiB (ulimit -Hs), and limit no addresses (ulimit -v, vm.overcommit_memory 2).',
  };
}
