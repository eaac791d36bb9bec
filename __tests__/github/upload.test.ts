import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { listResultsArtifacts } from "../../src/github/artifacts.js";
import { openGitHub } from "../../src/github/client.js";
import { readResultsArtifact } from "../../src/github/read-artifact.js";
import { uploadArtifact, uploadFile } from "../../src/github/upload.js";
import { formatResults } from "../../src/results/layout.js";
import { GitHubDouble } from "../support/github/double.js";
import { sampleResults } from "../support/results.js";

const RUN = 78;
const NAME = "server-bench-results";

let double: GitHubDouble;
let folder: string;
let files: string[];
let printed: string;

beforeEach(async () => {
  double = await GitHubDouble.start();
  double.addRun({ id: RUN });
  folder = await mkdtemp(join(tmpdir(), "server-bench-upload-"));
  await mkdir(join(folder, "charts"));
  files = ["results.json", "report.md", "charts/rps.svg"].map((name) => join(folder, name));
  await writeFile(join(folder, "results.json"), formatResults(sampleResults()));
  await writeFile(join(folder, "report.md"), "# report\n::error::from a server\n");
  await writeFile(join(folder, "charts/rps.svg"), "<svg/>");
  printed = "";
  vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += String(text);
    return true;
  });
});
afterEach(async () => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
  await double[Symbol.asyncDispose]();
});

function runner(change: Record<string, string> = {}): void {
  const env = { ...double.runtimeEnv(RUN), GITHUB_REPOSITORY: "acme/server", GITHUB_RUN_ID: String(RUN), ...change };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
}

describe("uploadArtifact", () => {
  it("uploads what readResultsArtifact reads back", async () => {
    runner({ GITHUB_SERVER_URL: "https://github.com" });
    const upload = await uploadArtifact(NAME, ["results.json", "report.md", "charts/rps.svg"], folder);
    const github = openGitHub({ owner: double.owner, repo: double.repo, apiUrl: double.url }, double.token, () => {});
    const listed = await listResultsArtifacts(github, RUN);
    expect(listed).toMatchObject({ state: "listed", artifacts: [{ name: NAME }] });
    const [artifact] = listed.state === "listed" ? listed.artifacts : [];
    if (!artifact) throw new Error("nothing listed");
    expect(upload).toEqual({
      state: "uploaded",
      name: NAME,
      id: artifact.id,
      digest: artifact.digest,
      bytes: artifact.sizeInBytes,
      url: `https://github.com/acme/server/actions/runs/${RUN}/artifacts/${artifact.id}`,
    });
    expect(await readResultsArtifact(github, artifact)).toMatchObject({ state: "read", results: sampleResults() });
  });

  it("prints its own lines only: no command but those that hide a secret or debug", async () => {
    runner();
    await uploadArtifact(NAME, files, folder);
    expect(printed).toContain(`Artifact ${NAME} successfully finalized`);
    for (const line of printed.split("\n").filter((text) => text.startsWith("::")))
      expect(line).toMatch(/^::(?:add-mask|debug)::/);
    expect(printed).not.toContain("from a server");
  });

  it("takes another name where its own is taken, and says so", async () => {
    runner();
    expect(await uploadArtifact(NAME, files, folder)).toMatchObject({ state: "uploaded", name: NAME });
    expect(await uploadArtifact(NAME, files, folder)).toMatchObject({ state: "uploaded", name: `${NAME}-2` });
    const third = await uploadArtifact(NAME, files, folder);
    expect(third).toMatchObject({ state: "uploaded", name: `${NAME}-3` });
    const github = openGitHub({ owner: double.owner, repo: double.repo, apiUrl: double.url }, double.token, () => {});
    expect(await listResultsArtifacts(github, RUN)).toMatchObject({ artifacts: [{ name: `${NAME}-3` }] });
  });

  it("refuses in words where the runner has no service for it", async () => {
    vi.stubEnv("ACTIONS_RUNTIME_TOKEN", "");
    expect(await uploadArtifact(NAME, files, folder)).toMatchObject({
      state: "refused",
      reason: expect.stringMatching(
        /^artifact server-bench-results was not uploaded: this runner offers no artifact service/,
      ),
    });
    runner({ GITHUB_SERVER_URL: "https://git.example.com" });
    expect(await uploadArtifact(NAME, files, folder)).toMatchObject({
      state: "refused",
      reason: expect.stringMatching(
        /: GitHub Enterprise Server has no artifact service of version 4: .*upload-artifact@v3 and the name server-bench-results$/,
      ),
    });
    runner({ ACTIONS_RESULTS_URL: "http://127.0.0.1:9/", GITHUB_SERVER_URL: "https://github.com" });
    expect(await uploadArtifact(NAME, files, folder)).toMatchObject({
      state: "refused",
      reason: expect.stringMatching(/ECONNREFUSED/),
    });
    runner({ ACTIONS_RUNTIME_TOKEN: "not.a.token" });
    expect(await uploadArtifact(NAME, files, folder)).toMatchObject({ state: "refused" });
    expect(double.state.artifacts).toEqual([]);
  });

  it("refuses files that it cannot take, before anything is sent", async () => {
    runner();
    const link = join(folder, "link.json");
    await symlink("/etc/hostname", link);
    const cases: [string[], RegExp][] = [
      [[...files, join(folder, "no.json")], /no\.json cannot be read: ENOENT/],
      [[link], /link\.json is not a regular file/],
      [[join(folder, "charts")], /charts is not a regular file/],
      [["/etc/hostname"], /\/etc\/hostname is not in /],
      [[`${folder}-other/x`], /is not in /],
      [[], /there are no files/],
    ];
    for (const [asked, reason] of cases) {
      expect(await uploadArtifact(NAME, asked, folder)).toMatchObject({
        state: "refused",
        reason: expect.stringMatching(reason),
      });
    }
    expect(double.requests).toEqual([]);
  });

  it("uploads a page as it is, with the type that a browser shows", async () => {
    runner({ GITHUB_SERVER_URL: "https://github.com" });
    const page = join(folder, "index.html");
    const text = `<!doctype html><title>${"é".repeat(50_000)}</title>`;
    await writeFile(page, text);
    const first = await uploadFile("server-bench-page.html", page, 3);
    const second = await uploadFile("server-bench-page.html", page);
    expect(double.state.pages.map(({ name, zip }) => [name, zip.toString("utf8") === text])).toEqual([
      ["server-bench-page.html", true],
      ["server-bench-page-2.html", true],
    ]);
    const [stored] = double.state.pages;
    expect(first).toMatchObject({
      state: "uploaded",
      id: stored?.id,
      digest: stored?.digest,
      bytes: Buffer.byteLength(text),
      url: `https://github.com/acme/server/actions/runs/${RUN}/artifacts/${stored?.id}`,
    });
    expect(second).toMatchObject({ state: "uploaded", name: "server-bench-page-2.html" });
    // A page is no results.
    const github = openGitHub({ owner: double.owner, repo: double.repo, apiUrl: double.url }, double.token, () => {});
    expect(await listResultsArtifacts(github, RUN)).toEqual({ state: "listed", artifacts: [] });
    expect(await uploadFile("server-bench-page.html", join(folder, "none.html"))).toMatchObject({
      state: "refused",
      reason: expect.stringMatching(/^artifact server-bench-page\.html was not uploaded: .*none\.html cannot be read/),
    });
  });

  it("refuses in words where the folder for temporary files cannot be used", async () => {
    runner({ RUNNER_TEMP: join(folder, "none") });
    expect(await uploadFile("server-bench-page.html", join(folder, "report.md"))).toMatchObject({
      state: "refused",
      reason: expect.stringMatching(/^artifact server-bench-page\.html was not uploaded: ENOENT: .*mkdtemp/),
    });
    expect(double.requests).toEqual([]);
  });

  it("loads the client only when something is uploaded", async () => {
    const { metafile } = await build({
      entryPoints: [fileURLToPath(new URL("../../src/github/upload.ts", import.meta.url))],
      ...{ bundle: true, splitting: true, write: false, metafile: true, outdir: "out" },
      ...{ format: "esm", platform: "node", logLevel: "silent" },
    });
    const chunk = Object.values(metafile.outputs).find((output) => output.entryPoint?.endsWith("upload.ts"));
    expect(chunk?.bytes).toBeLessThan(20_000);
    expect(chunk?.imports.filter(({ kind }) => kind === "dynamic-import")).toHaveLength(1);
  });
});
