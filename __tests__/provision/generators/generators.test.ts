/** Which load generators are found, and whose rows fail where one is not. */
import { describe, expect, it } from "vitest";
import { SetupError } from "../../../src/errors.js";
import type { GeneratorName } from "../../../src/plan/types.js";
import { provideGenerators, readyTools } from "../../../src/provision/generators/generators.js";
import { provideGhz } from "../../../src/provision/generators/ghz.js";
import { provideWrk } from "../../../src/provision/generators/wrk.js";
import { environmentSpec, provisioning, rowNeeding } from "../../support/provisioning.js";

const rows = (...generators: GeneratorName[]) =>
  generators.map((generator) => ({ ...rowNeeding(environmentSpec()), generator }));
const OHA = "echo oha 1.16.0";
/** Like the real one: its version, its usage, and an exit code as after a mistake. */
const wrk = (version: string) => `echo "wrk ${version} [epoll] Copyright (C) 2012 Will Glozer"; echo usage; exit 1`;
/** A Go that "builds" a program with Go's build information in it. */
const go = (version: string) => `
  [ "$1" = install ] || exit 2
  [ "$2" = "github.com/bojand/ghz/cmd/ghz@v0.120.0" ] || exit 2
  echo "go: downloading google.golang.org/grpc v1.62.1" >&2
  /bin/mkdir -p "$GOBIN"
  printf '#!/bin/sh\\necho dev; exit 0\\nmod\\tgithub.com/bojand/ghz\\t${version}\\th1:x=\\n' > "$GOBIN/ghz"
  /bin/chmod +x "$GOBIN/ghz"`;

describe("a load generator that is missing", () => {
  it("fails its own rows only", async () => {
    const setup = await provisioning();
    await setup.program("oha", OHA);
    const states = await provideGenerators(setup.context, rows("oha", "wrk", "ghz"));
    expect(states.get("wrk")).toMatchObject({
      state: "failed",
      reason: "no load generator: there is no wrk on PATH; wrk 4.1.0 or newer is needed: apt-get install wrk",
    });
    expect(states.get("ghz")).toMatchObject({
      state: "failed",
      reason: expect.stringMatching(/PATH: there is no ghz on PATH\n {2}go: there is no go on PATH\nput ghz on PATH/),
    });
    expect([...readyTools(states).keys()]).toEqual(["oha"]);
    expect(setup.progressLines.filter((line) => line.startsWith("failed"))).toHaveLength(2);
  });
  it("is an error where no row is left", async () => {
    const { context } = await provisioning();
    await expect(provideGenerators(context, rows("wrk", "wrk"))).rejects.toThrow(SetupError);
  });
  it("is not looked for where no row needs it", async () => {
    const { context, progressLines } = await provisioning();
    expect((await provideGenerators(context, [])).size).toBe(0);
    expect(progressLines).toEqual([]);
  });
});

describe("wrk on PATH", () => {
  it("is used, although it ends with an error after printing its version", async () => {
    const setup = await provisioning();
    const path = await setup.program("wrk", wrk("debian/4.1.0-3+b2"));
    expect(await provideWrk(setup.context)).toEqual({ path, version: "4.1.0" });
  });
  it("is refused where it is too old, or another program", async () => {
    const setup = await provisioning();
    await setup.program("wrk", wrk("4.0.2"));
    await expect(provideWrk(setup.context)).rejects.toThrow(/wrk is 4\.0\.2; wrk 4\.1\.0 or newer is needed/);
    await setup.program("wrk", "echo hello");
    await expect(provideWrk(setup.context)).rejects.toThrow(/prints no version; .*apt-get install wrk/);
  });
});

describe("ghz", () => {
  it("is used from PATH, by what it says or by what Go wrote into it", async () => {
    const setup = await provisioning();
    const path = await setup.program("ghz", "echo 0.121.0");
    expect(await provideGhz(setup.context)).toEqual({ path, version: "0.121.0" });
    await setup.program("ghz", "echo dev; exit 0\nmod\tgithub.com/bojand/ghz\tv0.120.0\th1:x=");
    expect(await provideGhz(setup.context)).toEqual({ path, version: "0.120.0" });
  });
  it("is built where there is none that is new enough, and reused from the cache", async () => {
    const setup = await provisioning();
    await setup.program("ghz", "echo 0.93.0");
    await setup.program("go", go("v0.120.0"));
    const first = await provideGhz(setup.context);
    expect(first).toMatchObject({ version: "0.120.0", path: expect.stringContaining(setup.context.cache) });
    expect(setup.progressLines).toContainEqual(
      expect.stringMatching(/^update ghz 0\.120\.0: building with go, 1 modules? downloaded, 0 s$/),
    );
    await setup.program("go", "exit 1");
    expect(await provideGhz(setup.context)).toEqual(first);
    expect(setup.progressLines.at(-1)).toBe(`reused ghz 0.120.0: ${first.path}`);
  });
  it("is refused where Go built another version", async () => {
    const setup = await provisioning();
    await setup.program("go", go("v0.93.0"));
    await expect(provideGhz(setup.context)).rejects.toThrow(/is 0\.93\.0, and 0\.120\.0 or newer is needed/);
  });
  it("says why it cannot be built", async () => {
    const setup = await provisioning();
    await setup.program("go", "echo 'dial tcp: lookup proxy: no such host' >&2; exit 1");
    const error = await provideGhz(setup.context).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "SetupError", log: expect.stringContaining("no such host") });
    expect(String(error)).toMatch(/go: building ghz 0\.120\.0: .*exit code 1; the Go module proxy cannot be reached/);
  });
});
