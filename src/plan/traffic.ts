/** How a row's requests are sent: by a clock or in a closed loop, over TLS or a unix socket, on connections that close. */
import type { ServerEntry } from "./schema.js";
import type { GeneratorName, PlannedRow } from "./types.js";

/** What a row may say. */
interface Asked {
  readonly "keep-alive"?: boolean | undefined;
  readonly tls?: boolean | undefined;
  readonly rate?: number | string | undefined;
  readonly "unix-socket"?: boolean | undefined;
  readonly "idle-connections"?: number | undefined;
  readonly connections?: number | readonly number[] | undefined;
}

type Traffic = Pick<PlannedRow, "closes" | "tls" | "ratePerSec" | "rateShare" | "socket" | "idleConnections">;

/** @throws Error naming what the load generator or the server cannot do */
export function plannedTraffic(
  asked: Asked,
  { generator, http, server, name }: { generator: GeneratorName; http: 1 | 2; server: ServerEntry; name: string },
): Traffic {
  const closes = asked["keep-alive"] === false;
  if (closes && generator !== "oha")
    throw new Error(`keep-alive: false needs the load generator oha; ${generator} keeps its connections`);
  if (closes && http === 2) throw new Error("keep-alive: false needs HTTP/1: HTTP/2 always keeps its connections");
  if (asked.rate !== undefined && generator !== "oha")
    throw new Error(`rate needs the load generator oha; ${generator} cannot send by a clock`);
  if (asked.tls) checkTls(name, server, generator);
  const socket = asked["unix-socket"] === true;
  if (socket) checkSocket(name, server, { generator, http, tls: asked.tls === true });
  const idleConnections = asked["idle-connections"];
  if (idleConnections !== undefined && (asked.tls || socket || http === 2))
    throw new Error("idle-connections needs HTTP/1 over TCP without TLS");
  if (idleConnections !== undefined && typeof asked.connections === "object" && asked.connections.length > 1)
    throw new Error(
      `idle-connections needs one number of connections, not ${asked.connections.join(", ")}: the cases of a row share one server process, so only its first case would show what fresh connections cost; write a row for each number`,
    );
  return {
    ...(closes && { closes }),
    ...(asked.tls && { tls: true }),
    ...(asked.rate !== undefined && plannedRate(asked.rate)),
    ...(socket && { socket }),
    ...(idleConnections !== undefined && { idleConnections }),
  };
}

function plannedRate(rate: number | string): Pick<Traffic, "ratePerSec" | "rateShare"> {
  return typeof rate === "number" ? { ratePerSec: rate } : { rateShare: Number.parseInt(rate, 10) / 100 };
}

function checkSocket(
  name: string,
  server: ServerEntry,
  { generator, http, tls }: { readonly generator: GeneratorName; readonly http: 1 | 2; readonly tls: boolean },
): void {
  if (generator !== "oha") throw new Error(`unix-socket: true needs the load generator oha; ${generator} uses TCP`);
  if (tls || http === 2)
    throw new Error("unix-socket: true needs HTTP/1 without TLS: over a unix socket oha speaks nothing else");
  if (server.unix === undefined)
    throw new Error(
      `unix-socket: true: server "${name}" has no "unix" in servers.yml; give its command with {socket}: unix: [serve, --uds, "{socket}", "{knobs}", "{target}"]`,
    );
}

/** argv of the server, before its placeholders are filled. */
export function commandOf(server: ServerEntry, { socket }: Traffic): readonly string[] {
  return socket ? (server.unix ?? server.command) : server.command;
}

function checkTls(name: string, server: ServerEntry, generator: GeneratorName): void {
  if (generator === "ghz" || generator === "websocket")
    throw new Error(`tls: true needs the load generator oha or wrk; ${generator} is run without TLS here`);
  if (server.tls === undefined)
    throw new Error(
      `tls: true: server "${name}" has no "tls" in servers.yml; give its arguments: tls: { args: [--certfile, "{cert}", --keyfile, "{key}"] }`,
    );
  if (!server.command.includes("{knobs}"))
    throw new Error(
      `tls: true: the command of server "${name}" has no element "{knobs}" that its TLS arguments follow`,
    );
}

/** HTTP versions that the server speaks on this kind of connection. @throws Error naming both */
export function checkHttp(name: string, server: ServerEntry, http: 1 | 2, tls: boolean): void {
  const spoken = tls && server.tls ? server.tls.http : server.http;
  if (!spoken.includes(http))
    throw new Error(
      `server "${name}" does not speak HTTP/${http} ${tls ? "with" : "without"} TLS; http: ${spoken.join(", ")}`,
    );
}

/** What a server that speaks TLS is started with, after its knobs. `{cert}` and `{key}` are filled in when it starts. */
export function tlsArguments(server: ServerEntry, { tls }: Traffic): readonly string[] {
  return tls ? (server.tls?.args ?? []) : [];
}
