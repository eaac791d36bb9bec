/** Whether the load generator was the limit: then the throughput is a lower bound of what the server can do. */
import type { PlannedRow } from "../plan/types.js";
import type { Slice } from "../results/schema.js";
import type { CpuSplit } from "./machine/cpus.js";

/** From this share on the client is the limit: one oha thread sends less than a fast server can answer. */
const CLIENT_BUSY = 0.9;
/** A server whose app does not wait keeps at least one CPU busy, if enough requests come; one GIL or one worker cannot use more. */
const SERVER_IDLE = 0.8;
/** Beside an idle server: requests come in bursts, so a client that is busy for half of the time may be the one that is waited for. */
const CLIENT_HALF_BUSY = 0.5;
/** Beside an idle server: from this share of a request's time on the client's work decides how many requests there are. */
const CLIENT_PART = 0.1;

export interface ClientCpus {
  /** How many the load generator can keep busy. */
  readonly usable: number;
  /** With the server. */
  readonly shared: boolean;
  /** Where services of the row run on them too: how many there are, and how many the services kept busy. */
  readonly services?: { readonly cpus: number; readonly busy: number };
}

/**
 * A thread uses one CPU at the most. The websocket client has a process for each CPU, whatever the row says.
 * @param serviceCpus how many of them the row's services kept busy; undefined where none runs there
 */
export function clientCpus(
  { generator, generatorThreads }: Pick<PlannedRow, "generator" | "generatorThreads">,
  { client, shared }: Pick<CpuSplit, "client" | "shared">,
  serviceCpus?: number,
): ClientCpus {
  const threads = generator === "websocket" ? undefined : generatorThreads;
  const services = serviceCpus === undefined ? {} : { services: { cpus: client.length, busy: serviceCpus } };
  return { usable: Math.min(threads ?? client.length, client.length), shared, ...services };
}

/** How many CPUs these used. */
function cpusOf(slices: readonly Slice[], of: "clientCpuSec" | "serverCpuSec"): number {
  const seconds = slices.reduce((sum, slice) => sum + slice.seconds, 0);
  return seconds === 0 ? 0 : slices.reduce((sum, slice) => sum + slice[of], 0) / seconds;
}

interface InFlight {
  readonly connections: number;
  readonly streams: number;
}

/**
 * Client-bound: the CPUs that the client can use are at least 90 % busy, or the server uses less than 80 % of one CPU and waits for the
 * client. Where both share one CPU: the client uses more of it than the server. Where services have the client's CPUs too, they fill them
 * together, and the client has a part in it: without the client the services would have answered sooner.
 * @param mayIdle the app waits on purpose, or other processes took its CPU: then an idle server does not show that the client was too slow
 */
export function isClientBound(
  slices: readonly Slice[],
  { usable, shared, services }: ClientCpus,
  inFlight: InFlight,
  mayIdle: boolean,
): boolean {
  if (slices.every(({ seconds }) => seconds === 0)) return false;
  const [serverCpu, clientCpu] = [cpusOf(slices, "serverCpuSec"), cpusOf(slices, "clientCpuSec")];
  if (shared) return clientCpu > serverCpu;
  if (clientCpu >= CLIENT_BUSY * usable) return true;
  if (services && fillTheirCpus(clientCpu, services)) return true;
  return !mayIdle && serverCpu < SERVER_IDLE && clientPart(clientCpu, usable, inFlight) >= CLIENT_PART;
}

function fillTheirCpus(clientCpu: number, { cpus, busy }: NonNullable<ClientCpus["services"]>): boolean {
  return clientCpu >= CLIENT_PART * cpus && clientCpu + busy >= CLIENT_BUSY * cpus;
}

/**
 * Share of a request's time that the client needs: Little's law gives the time of a request, and the client's work for it takes longer by
 * the waiting time of an M/M/1 queue. An app that waits for a database leaves it small. All of it where the client is busy half of the time.
 */
function clientPart(clientCpu: number, usable: number, { connections, streams }: InFlight): number {
  const busy = clientCpu / usable;
  return busy >= CLIENT_HALF_BUSY ? 1 : clientCpu / (connections * streams * (1 - busy));
}
