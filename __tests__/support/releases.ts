/** GitHub's releases API and its downloads, as far as oha's release is concerned: a real server on a real port. */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Releases {
  readonly url: string;
  readonly requests: string[];
}

type Answer = (response: ServerResponse, request: IncomingMessage) => void;

/** `release` makes the API's answer, `asset` the download's. */
export async function releasesServer(routes: { release: (url: string) => Answer; asset: Answer }): Promise<Releases> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? "");
    const url = `http://${request.headers.host}`;
    if (request.url === "/repos/hatoo/oha/releases/tags/v1.16.0") routes.release(url)(response, request);
    else if (request.url === "/download/oha") routes.asset(response, request);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

const ASSET_NAMES = ["oha-linux-amd64", "oha-linux-arm64", "oha-macos-amd64", "oha-macos-arm64"];

export interface AssetFields {
  readonly size?: number;
  readonly digest?: string | null;
  readonly address?: string;
}

export function releaseOf(program: Buffer, fields: AssetFields = {}): (url: string) => Answer {
  return (url) => {
    const asset = {
      size: fields.size ?? program.length,
      digest: fields.digest === undefined ? digestOf(program) : fields.digest,
      browser_download_url: fields.address ?? `${url}/download/oha`,
      content_type: "application/octet-stream",
    };
    return json({ tag_name: "v1.16.0", assets: ASSET_NAMES.map((name) => ({ name, ...asset })) });
  };
}

export function digestOf(bytes: Buffer): string {
  return `sha256:${createHash("sha256").update(bytes).digest("hex")}`;
}

export function json(value: unknown): Answer {
  return (response) => response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(value));
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

/** An address of this machine where nobody listens. */
export async function refusingUrl(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}
