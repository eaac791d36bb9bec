/** The releases of a tag, and their files, over several pages. */
import { describe, expect, it } from "vitest";
import { readReleaseAssets } from "../../src/github/release-assets.js";
import { findReleases, readRelease } from "../../src/github/releases.js";
import { quickClient } from "../support/github/client.js";
import { GitHubDouble } from "../support/github/double.js";

const TAG = "v1.3.0";

describe("the releases of a tag", () => {
  it("are the published one, with one request", async () => {
    await using double = await GitHubDouble.start();
    const { id } = double.addRelease({ tag: TAG, body: "Text\r\n", immutable: true });
    double.addRelease({ tag: TAG, draft: true });
    const found = await findReleases(quickClient(double), TAG);
    expect(found).toEqual([
      {
        ...{ id, body: "Text\r\n", draft: false, immutable: true },
        url: expect.stringContaining(`/tag/${TAG}`),
        uploadUrl: expect.stringMatching(/\/assets\{\?name,label\}$/),
      },
    ]);
    expect(double.apiCalls).toBe(1);
    expect(await readRelease(quickClient(double), id)).toEqual(found[0]);
  });

  it("are all its drafts, and no other tag's, on whichever page", async () => {
    await using double = await GitHubDouble.start();
    const ids = [double.addRelease({ tag: TAG, draft: true, body: null }).id];
    for (let i = 0; i < 199; i += 1) double.addRelease({ tag: `v0.${i}.0`, draft: true });
    ids.unshift(double.addRelease({ tag: TAG, draft: true }).id);
    const found = await findReleases(quickClient(double), TAG);
    expect(found.map(({ id }) => id)).toEqual(ids);
    expect(found.map(({ body }) => body)).toEqual(["", ""]);
    // The tag, and three pages: 100, 100 and 1.
    expect(double.apiCalls).toBe(4);
  });

  it("are looked for on five pages", async () => {
    await using double = await GitHubDouble.start();
    double.addRelease({ tag: TAG, draft: true });
    for (let i = 0; i < 500; i += 1) double.addRelease({ tag: `v0.${i}.0` });
    expect(await findReleases(quickClient(double), TAG)).toEqual([]);
    expect(double.apiCalls).toBe(6);
  });

  it("are an error where GitHub refuses, and where the upload's address is none", async () => {
    await using double = await GitHubDouble.start();
    const { id } = double.addRelease({ tag: TAG });
    double.fail({ path: /\/releases\/tags\//, status: 403, body: { message: "No" } });
    await expect(findReleases(quickClient(double), TAG)).rejects.toThrow("No");
    const release = { id, html_url: "", tag_name: TAG, draft: false, upload_url: "/assets" };
    double.fail({ path: /\/releases\/\d+$/, status: 200, body: release });
    await expect(readRelease(quickClient(double), id)).rejects.toThrow(/field upload_url: expected an address/);
  });
});

describe("the files of a release", () => {
  it("are read from every page", async () => {
    await using double = await GitHubDouble.start();
    const { id, assets } = double.addRelease({ tag: TAG });
    for (let i = 0; i < 100; i += 1)
      assets.push({ id: i + 1, name: `file-${i}`, contentType: "text/plain", bytes: Buffer.from("x") });
    assets.push({ id: 101, name: "broken", contentType: "text/plain", bytes: Buffer.alloc(0) });
    const read = await readReleaseAssets(quickClient(double), id);
    expect(read).toHaveLength(101);
    expect(read[0]).toEqual({ id: 1, name: "file-0", digest: expect.stringMatching(/^sha256:/), whole: true });
    expect(read[100]).toEqual({ id: 101, name: "broken", digest: undefined, whole: false });
    expect(double.apiCalls).toBe(2);
  });

  it("are none where none was attached", async () => {
    await using double = await GitHubDouble.start();
    const { id } = double.addRelease({ tag: TAG });
    expect(await readReleaseAssets(quickClient(double), id)).toEqual([]);
    expect(double.apiCalls).toBe(1);
  });
});
