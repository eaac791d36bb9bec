import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { uvIndexVariables } from "../../../src/provision/environments/pip-index.js";

describe("uvIndexVariables", () => {
  it("gives uv pip's indexes", () => {
    expect(uvIndexVariables({ PIP_INDEX_URL: "https://a/simple", PIP_EXTRA_INDEX_URL: "https://b https://c" })).toEqual(
      {
        UV_DEFAULT_INDEX: "https://a/simple",
        UV_INDEX: "https://b https://c",
      },
    );
  });

  it("leaves alone what is set for uv, under its older names too", () => {
    expect(uvIndexVariables({ PIP_INDEX_URL: "https://a", UV_DEFAULT_INDEX: "https://b" })).toEqual({});
    expect(uvIndexVariables({ PIP_INDEX_URL: "https://a", UV_INDEX_URL: "https://b" })).toEqual({});
    expect(uvIndexVariables({})).toEqual({});
  });

  it("separates places by commas, and leaves out a folder that is not there", async () => {
    // pip separates by spaces: a folder with one in its path cannot be said.
    const wheels = await mkdtemp(join(tmpdir(), "wheels-"));
    onTestFinished(() => rm(wheels, { recursive: true }));
    expect(uvIndexVariables({ PIP_FIND_LINKS: `${wheels} /not/there https://a/links` })).toEqual({
      UV_FIND_LINKS: `${wheels},https://a/links`,
    });
    expect(uvIndexVariables({ PIP_FIND_LINKS: "/not/there" })).toEqual({});
  });
});
