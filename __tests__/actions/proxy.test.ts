/** The whole action behind a proxy. */
import { once } from "node:events";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { describe, expect, it } from "vitest";
import { startAction } from "../support/action.js";
import { GitHubDouble } from "../support/github/double.js";

describe("the action with NODE_USE_ENV_PROXY", () => {
  it("asks GitHub through the proxy", async () => {
    await using github = await GitHubDouble.start();
    const asked: string[] = [];
    const proxy = createServer();
    proxy.on("connect", (request, socket) => {
      asked.push(request.url ?? "");
      const upstream = connect(Number(new URL(github.url).port), "127.0.0.1", () => {
        socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
        upstream.pipe(socket).pipe(upstream);
      });
    });
    await once(proxy.listen(0, "127.0.0.1"), "listening");
    const { port } = proxy.address() as AddressInfo;
    const run = github.addRun({ event: "push", status: "in_progress" });
    const env = { ...(await github.jobEnv(run)), GITHUB_API_URL: "http://api.github.invalid" };
    const action = startAction(
      { command: "report", token: github.token },
      { env: { ...env, NODE_USE_ENV_PROXY: "1", HTTP_PROXY: `http://127.0.0.1:${port}` } },
    );
    const { stdout } = await action.ended;
    proxy.close();
    expect(asked).toContain("api.github.invalid:80");
    expect(github.requests).toMatchObject([{ path: `/repos/acme/server/actions/runs/${run.id}/artifacts` }]);
    expect(stdout).not.toContain("Node uses no proxy");
  });
});
