/** A git server over HTTP that gives its repositories to one token only, as GitHub does for a private one. */
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { git } from "./repository.js";

interface GitServer extends AsyncDisposable {
  readonly url: string;
  /** The header Authorization of each request, decoded; "" where there is none. */
  readonly seen: readonly string[];
}

/** @param root its folders are the repositories */
export async function gitServer(root: string, token: string): Promise<GitServer> {
  const backend = `${git(root, "--exec-path")}/git-http-backend`;
  const seen: string[] = [];
  const server = createServer(async (request, response) => {
    const given = Buffer.from(
      /^basic (.*)$/i.exec(request.headers.authorization ?? "")?.[1] ?? "",
      "base64",
    ).toString();
    seen.push(given);
    const body = await buffer(request);
    if (given !== `x-access-token:${token}`) return void response.writeHead(401, { "www-authenticate": "Basic" }).end();
    const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
    const env = {
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers["content-type"],
      HTTP_CONTENT_ENCODING: request.headers["content-encoding"],
      HTTP_GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      CONTENT_LENGTH: String(body.length),
    };
    const child = spawn(backend, { env: { ...process.env, ...env }, stdio: ["pipe", "pipe", "ignore"] });
    child.stdin.end(body);
    const answer = await buffer(child.stdout);
    const end = answer.indexOf("\r\n\r\n");
    for (const line of answer.subarray(0, end).toString().split("\r\n")) {
      const [name = "", value = ""] = line.split(": ");
      if (name !== "Status") response.setHeader(name, value);
    }
    response.end(answer.subarray(end + 4));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
