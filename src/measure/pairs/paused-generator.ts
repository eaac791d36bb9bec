/** A load generator that is stopped and continued while it runs. */
import { readdirSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { readStat } from "../../process/proc.js";
import { type CpuSample, cpuBetween, sampleCpu } from "../machine/cpu.js";

/** For a load generator to make its connections; servers that close every connection never show all of them at once. */
export const CONNECT_LIMIT_MS = 200;
const CONNECT_POLL_MS = 2;
const OWN_SOCKETS = 6;
const STEADY_MS = 60;

export class PausedGenerator {
  #group: number | undefined;
  #sampled: CpuSample = new Map();
  isOver = false;

  started(group: number): void {
    this.#group = group;
  }

  /** From now on its number may be another group's. */
  ended(): void {
    this.#group = undefined;
    this.isOver = true;
  }

  stop(): void {
    this.#signal("SIGSTOP");
  }

  continue(): void {
    this.#signal("SIGCONT");
  }

  /** It ends its load and writes its figures. */
  finish(): void {
    this.#signal("SIGINT");
    this.continue();
  }

  /** CPU seconds of the generator since this was asked for the last time, or since its start. */
  takeCpuSec(): number {
    // The group has the number of its first process, which is the load generator.
    const stat = this.#group === undefined ? undefined : readStat(this.#group);
    if (stat === undefined) return 0;
    const before = this.#sampled;
    this.#sampled = sampleCpu([stat]);
    return cpuBetween(before, this.#sampled);
  }

  /**
   * Waits until it has its connections, has ended, or takes too long. `takeCpuSec` then begins with the first connection: its own start
   * is no work for requests.
   * @returns when it made its first connection, by performance.now()
   */
  async connected(connections: number): Promise<number> {
    const giveUpAt = performance.now() + CONNECT_LIMIT_MS;
    const sockets = new ConnectedSockets(connections);
    let firstAt: number | undefined;
    while (!this.isOver && performance.now() < giveUpAt && !sockets.isReached(this.#sockets())) {
      if (!sockets.hasFirst) {
        firstAt = performance.now();
        this.takeCpuSec();
      }
      await sleep(CONNECT_POLL_MS);
    }
    return firstAt ?? performance.now();
  }

  #sockets(): number {
    return this.#group === undefined ? 0 : socketsOf(this.#group);
  }

  #signal(signal: NodeJS.Signals): void {
    try {
      if (this.#group !== undefined) process.kill(-this.#group, signal);
    } catch {
      // It has ended: its outcome says why.
    }
  }
}

/** When a load generator has its connections. It has sockets of its own too: oha has six of them before the first connection. */
class ConnectedSockets {
  readonly #connections: number;
  #last = { sockets: 0, since: performance.now() };
  hasFirst = false;

  constructor(connections: number) {
    this.#connections = connections;
  }

  /** @param sockets that it has now */
  isReached(sockets: number): boolean {
    if (sockets !== this.#last.sockets) this.#last = { sockets, since: performance.now() };
    this.hasFirst ||= sockets > OWN_SOCKETS;
    if (sockets >= this.#connections + OWN_SOCKETS) return true;
    // Another version may have fewer of its own.
    return sockets > this.#connections && performance.now() - this.#last.since >= STEADY_MS;
  }
}

/** Sockets that a process has open. Reading the kernel's list of all connections would take longer than a turn. */
function socketsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).filter((fd) => isSocket(`/proc/${pid}/fd/${fd}`)).length;
  } catch {
    // It has not begun, or it has just ended.
    return 0;
  }
}

function isSocket(link: string): boolean {
  try {
    return readlinkSync(link).startsWith("socket:");
  } catch {
    // It has just been closed.
    return false;
  }
}
