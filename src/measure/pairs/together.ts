/**
 * Both servers are loaded at the same time, on the same CPUs, each by its own load generator. The kernel gives the CPUs to one and the
 * other for some milliseconds in turn: whatever changes the speed of the machine for longer changes both sides alike.
 */
import { allEnded } from "../../all-ended.js";
import type { Side } from "../../plan/types.js";
import type { ServerProcess } from "../../process/group.js";
import type { Generator, Load, SliceOutcome } from "../generators/contract.js";
import type { CpuSplit } from "../machine/cpus.js";
import { cpusOf, judgeWindow, programCpuOf, shareOfOthers, startMeters, type WindowOutcome } from "../window.js";

interface SideLoad {
  readonly server: ServerProcess;
  readonly generator: Generator;
  readonly load: Load;
}

type BySide<T> = Readonly<Record<Side, T>>;

/**
 * A window of each side, of the same time. Latencies and first bytes are left out: requests waited for the other side's.
 * @param order the first load generator starts some milliseconds before the second one
 * @throws the abort reason
 */
export async function measureTogether(
  loads: BySide<SideLoad>,
  order: readonly [Side, Side],
  split: Pick<CpuSplit, "server" | "client" | "companions">,
): Promise<BySide<WindowOutcome>> {
  const [first, second] = order;
  // One server's CPU time is read a moment before the other's, which may still close connections: that must not always be the same side's.
  const servers = { loaded: loads[first].server, idle: loads[second].server, companions: split.companions };
  const read = startMeters(servers, cpusOf(split));
  const loading = new Set<Side>(order);
  const run = ({ generator, load }: SideLoad, side: Side) =>
    generator.run(load, () => {
      loading.delete(side);
      if (loading.size === 0) read();
    });
  const [one, other] = await allEnded([run(loads[first], first), run(loads[second], second)]);
  const bySide = <T>(ofFirst: T, ofSecond: T): BySide<T> =>
    first === "base" ? { base: ofFirst, head: ofSecond } : { base: ofSecond, head: ofFirst };
  const outcomes = bySide(one, other);
  const meters = read();
  const serverCpuSec = bySide(meters.serverCpuSec, meters.idleCpuSec);
  const othersShare = shareOfOthers(meters, programCpuOf(one) + programCpuOf(other));
  const judged = (side: Side) =>
    judgeWindow(loads[side].server, withoutWaits(outcomes[side]), loads[side].load, {
      processes: meters.processes,
      serverCpuSec: serverCpuSec[side],
      steal: meters.steal,
      othersShare,
      idleCpus: undefined,
      serviceCpus: undefined,
    });
  return { base: await judged("base"), head: await judged("head") };
}

function withoutWaits(outcome: SliceOutcome): SliceOutcome {
  if (outcome.state === "failed") return outcome;
  const { firstByteMs: _, ...rest } = outcome;
  return { ...rest, latencyMs: undefined };
}
