/** The files of oha's release: a real server on a real port. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { freePort } from "../../src/measure/server/port.js";
import type { DownloadLimits } from "../../src/provision/cache/download.js";
import { OHA_RELEASE, type OhaRelease } from "../../src/provision/generators/oha-release.js";

export interface Releases {
  readonly url: string;
  readonly requests: string[];
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** Answers the first request with the first answer, and so on; the last one stays. */
export async function releasesServer(...answers: readonly [Answer, ...Answer[]]): Promise<Releases> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    (answers[requests.length - 1] ?? answers.at(-1))?.(response, request);
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** A release at another address, with the digest of this program for every platform; quick to try again. */
export function releaseAt(address: string, program: Buffer, limits: Partial<DownloadLimits> = {}): OhaRelease {
  const sha256 = sha256Of(program);
  const assets = Object.entries(OHA_RELEASE.assets).map(([target, { name }]) => [target, { name, sha256 }]);
  const quick = { ...OHA_RELEASE.limits, retryAfterMs: [1, 1], ...limits };
  return { address, assets: Object.fromEntries(assets), limits: quick };
}

export function sha256Of(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}

export function bytes(content: Buffer): Answer {
  return (response) => response.writeHead(200, { "content-type": "application/octet-stream" }).end(content);
}

export function status(code: number): Answer {
  return (response) => response.writeHead(code, { "content-type": "application/json" }).end('{"message":"no"}');
}

/** Begins an answer and never ends it. */
export const stalls: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/octet-stream" }).write("{");
};

/** Begins an answer and closes the connection. */
export const breaksOff: Answer = (response) => {
  response.writeHead(200, { "content-type": "application/octet-stream", "content-length": 1000 });
  response.write("#!", () => response.destroy());
};

/** An address of this machine where no server listens. */
export async function refusingUrl(): Promise<string> {
  return `http://127.0.0.1:${await freePort()}`;
}
