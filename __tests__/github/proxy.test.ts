/** A proxy that is named and not used. */
import { describe, expect, it } from "vitest";
import { unusedProxy } from "../../src/github/proxy.js";

describe("unusedProxy", () => {
  it.each(["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"])("names %s, and not its value", (name) => {
    const note = unusedProxy({ [name]: "http://user:password@proxy:3128" });
    expect(note).toMatch(new RegExp(`^${name} is set, but Node uses no proxy .*NODE_USE_ENV_PROXY: 1`));
    expect(note).not.toContain("password");
  });

  it.each([
    {},
    { HTTPS_PROXY: "", NO_PROXY: "localhost" },
    { HTTPS_PROXY: "http://proxy:3128", NODE_USE_ENV_PROXY: "1" },
    { HTTPS_PROXY: "http://proxy:3128", NODE_OPTIONS: "--max-old-space-size=512 --use-env-proxy" },
  ])("has nothing to say of %j", (env) => {
    expect(unusedProxy(env)).toBeUndefined();
  });
});
